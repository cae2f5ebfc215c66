/**
 * Failures of calls: code, layer, a sentence for people and the text that the model reads, which also says what
 * to do next. One builder per code, so that texts stay in one place.
 */
import type { ToolFailure, ToolLayer, ToolOutcome } from '@toolwire/core'
import { cutMiddle } from '@toolwire/core'

/** Fields of `tool.failed` beside the call. */
export interface CallFailure {
  readonly error: ToolFailure
  readonly output_text: string
  /** The source of text when others wrote it. */
  readonly outside?: string
}

const MAX_ERROR_CHARS = 10_000

interface FailureParts {
  readonly code: string
  readonly layer: ToolLayer
  /** For people. */
  readonly message: string
  readonly retryable?: boolean
  readonly details?: unknown
  /** For the model when it is not the message. */
  readonly text?: string
  readonly outside?: string | undefined
}

/** Never longer than 10,000 characters: the middle goes, both ends stay. */
export function failure({
  code,
  layer,
  message,
  retryable = false,
  details,
  text,
  outside,
}: FailureParts): CallFailure {
  return {
    error: {
      code,
      layer,
      message: cutMiddle(message, MAX_ERROR_CHARS),
      retryable,
      ...(details === undefined ? {} : { details }),
    },
    output_text: cutMiddle(text ?? message, MAX_ERROR_CHARS),
    ...(outside === undefined ? {} : { outside }),
  }
}

export const badJson = (message: string): CallFailure =>
  failure({
    code: 'bad_json',
    layer: 'schema',
    retryable: true,
    message: `The arguments of the call are not valid JSON, so it was not run: ${message}.`,
    text: `The arguments of this call are not valid JSON: ${message}. Nothing was executed; send the call again.`,
  })

export const truncated = (): CallFailure =>
  failure({
    code: 'truncated',
    layer: 'schema',
    retryable: true,
    message: 'The answer hit its output limit inside this call, so it was not run.',
    text:
      'The response hit the output limit inside this call, so its arguments were discarded. Nothing was executed. ' +
      'Send it again in smaller parts (for example: Write the first part, then Edit).',
  })

/** The model's stream broke inside the call. */
export const torn = (): CallFailure =>
  failure({
    code: 'truncated',
    layer: 'schema',
    retryable: true,
    message: 'The response was interrupted inside this call, so it was not run.',
    text:
      'The response was interrupted inside this call, so its arguments were discarded. Nothing was executed. ' +
      'Make the call again if it is still needed.',
  })

export function unknownTool(name: string, meant: readonly string[], why?: string): CallFailure {
  const hint = meant.length > 0 ? ` Did you mean ${meant.join(', ')}?` : ''
  return failure({
    code: 'unknown_tool',
    layer: 'lookup',
    message: `There is no tool ${name} here.${why ? ` ${why}` : ''}`,
    text: `Error: No such tool available: ${name}.${why ? ` ${why}` : hint}`,
    details: { suggestions: meant },
  })
}

export const toolChanged = (name: string): CallFailure =>
  failure({
    code: 'tool_changed',
    layer: 'lookup',
    retryable: true,
    message: `${name} has changed since the model got its description, so it was not run.`,
    text: `${name} has changed since it was offered, so nothing was executed. Read its new description and decide again.`,
  })

export const invalidInput = (name: string, problems: readonly string[]): CallFailure =>
  failure({
    code: 'invalid_input',
    layer: 'schema',
    retryable: true,
    message: `Invalid arguments for ${name}, so nothing was executed:\n${problems.map(problem => `- ${problem}`).join('\n')}`,
    details: { problems },
  })

export const precondition = (message: string, code = 'precondition', details?: unknown): CallFailure =>
  failure({ code, layer: 'validation', message, retryable: true, details })

export const denied = (
  code: 'denied_rule' | 'denied_user' | 'denied_hook' | 'denied_mode' | 'expired',
  message: string,
  details?: unknown,
  text?: string,
): CallFailure =>
  failure({ code, layer: 'permission', message, details, ...(text === undefined ? {} : { text }) })

/** The call has run; its output is reported, with the note that it breaks the tool's schema. */
export const outputInvalid = (
  name: string,
  problems: readonly string[],
  { output_text, outside }: Pick<ToolOutcome, 'output_text' | 'outside'>,
): CallFailure =>
  failure({
    code: 'output_invalid',
    layer: 'execution',
    message: `${name} gave a result that does not fit its own output schema.`,
    details: { problems },
    text: [
      `${name} ran, but its result does not fit its own output schema:`,
      ...problems.map(problem => `- ${problem}`),
      `What it gave:\n${output_text}`,
    ].join('\n'),
    outside,
  })

/** The general result of a call that a crash interrupted. */
export const UNKNOWN_OUTCOME =
  'The server stopped while this ran; it may or may not have taken effect. Check before repeating it.'

export const unknownOutcome = (message: string = UNKNOWN_OUTCOME): CallFailure =>
  failure({ code: 'unknown_outcome', layer: 'execution', message })

/** `by` names who stopped it. `partial` is the call's output until then. */
export function interrupted(parts: {
  readonly by: string
  readonly seconds?: number
  readonly partial?: string
  readonly sideEffects: boolean
  readonly outside?: string | undefined
}): CallFailure {
  const after = parts.seconds === undefined ? ' before it started' : ` after ${parts.seconds.toFixed(1)} s`
  const message = `Interrupted by ${parts.by}${after}.`
  const text = [
    message,
    ...(parts.sideEffects && parts.seconds !== undefined ? ['Side effects may have happened.'] : []),
    ...(parts.partial ? [`Output until then:\n${parts.partial}`] : []),
  ].join('\n')
  return failure({
    code: 'interrupted',
    layer: 'aborted',
    message,
    text,
    retryable: true,
    outside: parts.outside,
  })
}
