/** A call's arguments as far as they are known: complete, or peeked at while they arrive. */
import { peekField } from '../peek-args.ts'
import type { CallView } from '../view.ts'

/** One argument; undefined when it is not there (yet) or not of a simple type. */
export function argument(call: CallView, ...names: readonly string[]): unknown {
  for (const name of names) {
    const value = call.input === undefined ? peekField(call.peek, name) : field(call.input, name)
    if (value !== undefined) return value
  }
  return undefined
}

/** One argument as text; '' without one. */
export function textArgument(call: CallView, ...names: readonly string[]): string {
  const value = argument(call, ...names)
  return typeof value === 'number' ? String(value) : asText(value)
}

/** A field of something that may be an object. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Output to show: the result when there is one, else what the call has said so far; not again what its error says. */
export function outputText({ result, output, state }: CallView): string {
  if (!result) return output.tail
  const { output_text, failure } = result
  if (state !== 'failed' || !failure || !output_text.startsWith(failure.message)) return output_text
  return output_text.slice(failure.message.length).trimStart()
}

/** The first line, cut to `max` characters. */
export function oneLine(text: string, max = 120): string {
  const line =
    text
      .slice(0, max * 4)
      .trim()
      .split('\n', 1)[0] ?? ''
  return line.length > max ? `${line.slice(0, max - 1)}…` : line
}
