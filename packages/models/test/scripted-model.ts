/** A model with scripted output, to drive the fake upstream. */
import type { Model, ModelPart, ModelRequest } from '@toolwire/core'

const USAGE = { input: 12, output: 34, cache_read: 5, cache_write: 7, reasoning: 3 }

export const TEXT = 'Grüße, 沈阳 — a ☀️ day'
export const FIRST = { id: 'toolu_01', name: 'get_weather', input: '{"city":"沈阳","days":[1,2]}' }
export const SECOND = { id: 'toolu_02', name: 'get_time', input: '{"zone":"Asia/Shanghai"}' }

const split = (text: string): readonly string[] => text.match(/[\s\S]{1,5}/gu) ?? []

function call(index: number, { id, name, input }: typeof FIRST): readonly ModelPart[] {
  return [
    { type: 'block-start', index, kind: 'tool_use', tool: { id, name } },
    ...split(input).map(input_text => ({ type: 'block-delta', index, input_text }) as const),
    { type: 'block-end', index },
  ]
}

/** Thinking, text and two calls. */
const TWO_CALLS: readonly ModelPart[] = [
  { type: 'start', provider_message_id: 'msg_01', model: 'scripted', usage: { ...USAGE, output: 1 } },
  { type: 'block-start', index: 0, kind: 'thinking' },
  { type: 'block-delta', index: 0, thinking: 'two questions, two tools' },
  { type: 'block-delta', index: 0, signature: 'c2lnbmVk' },
  { type: 'block-end', index: 0 },
  { type: 'block-start', index: 1, kind: 'text' },
  ...split(TEXT).map(text => ({ type: 'block-delta', index: 1, text }) as const),
  { type: 'block-end', index: 1 },
  ...call(2, FIRST),
  ...call(3, SECOND),
  { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage: USAGE },
]

export const ANSWER: readonly ModelPart[] = [
  { type: 'start', provider_message_id: 'msg_02', model: 'scripted', usage: { ...USAGE, output: 1 } },
  { type: 'block-start', index: 0, kind: 'text' },
  ...split(TEXT).map(text => ({ type: 'block-delta', index: 0, text }) as const),
  { type: 'block-end', index: 0 },
  { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage: USAGE },
]

/** Calls both tools first; answers once the history ends with results. */
export function scriptedModel(seen: ModelRequest[] = []): Model {
  return {
    provider: 'scripted',
    id: 'scripted',
    async *stream(request) {
      seen.push(request)
      yield* request.messages.at(-1)?.role === 'tool' ? ANSWER : TWO_CALLS
    },
  }
}
