/** What a model said, in forms that tests compare. */
import type { Model, ModelPart, ModelRequest } from '@toolwire/core'

export const request = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'test',
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  tools: [],
  ...more,
})

export const collect = (
  model: Model,
  asked: ModelRequest = request('hello'),
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelPart[]> => Array.fromAsync(model.stream(asked, signal))

export interface Said {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[]
  readonly last: ModelPart | undefined
}

/** Blocks joined by their index, however their parts were mixed. */
export function said(parts: readonly ModelPart[]): Said {
  const joined = (index: number, field: 'text' | 'thinking' | 'input_text'): string =>
    parts
      .map(part => (part.type === 'block-delta' && part.index === index ? (part[field] ?? '') : ''))
      .join('')
  const starts = parts.flatMap(part => (part.type === 'block-start' ? [part] : []))
  return {
    text: starts.map(start => joined(start.index, 'text')).join(''),
    thinking: starts.map(start => joined(start.index, 'thinking')).join(''),
    calls: starts
      .filter(start => start.kind === 'tool_use')
      .map(start => ({
        id: start.tool?.id ?? '',
        name: start.tool?.name ?? '',
        input: joined(start.index, 'input_text'),
      })),
    last: parts.at(-1),
  }
}

export const streamOf = <T>(chunks: readonly T[]): ReadableStream<T> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
