/** A model that plays a script, chosen by the history alone: after a crash it says the same again. */
import {
  type Finish,
  type HistoryMessage,
  type Model,
  type ModelPart,
  type ModelRequest,
  unfenceText,
} from '@toolwire/core'

export interface ScriptedCall {
  readonly name: string
  readonly input: unknown
}
export interface ScriptedTurn {
  /** An attempt before it that said nothing. */
  readonly retried?: boolean
  readonly thinking?: string
  readonly text?: string
  readonly calls: readonly ScriptedCall[]
  readonly finish?: Finish
}

const USAGE = { input: 10, output: 5, cache_read: 0, cache_write: 0, reasoning: 0 }

const SCRIPT = 'script:'

/** A prompt that makes an agent play its own turns, and end with the results it saw. */
export const promptFor = (turns: readonly ScriptedTurn[]): string => SCRIPT + JSON.stringify(turns)

/** Plays `turns[n]` for the n-th model message since the latest user message; then a closing text. */
export function scriptedModel(turns: readonly ScriptedTurn[], seen: ModelRequest[] = []): Model {
  return {
    provider: 'script',
    id: 'script',
    async *stream(request) {
      seen.push(request)
      const lastUser = request.messages.findLastIndex(isRequest)
      const played = request.messages.slice(lastUser).filter(m => m.role === 'assistant').length
      const own = ownScript(request.messages[lastUser])
      const ending = own ? `Report: ${resultsOf(request)}` : 'The end.'
      yield* play((own ?? turns)[played] ?? { text: ending, calls: [] }, `${lastUser}_${played}`)
    },
  }
}

/** A person's message; a report of an agent is data, and a notice is the server's. */
const isRequest = (message: HistoryMessage): boolean =>
  message.role === 'user' &&
  message.content.some(
    part => part.type === 'text' && unfenceText(part.text) === part.text && !part.text.startsWith('<system-'),
  )

function ownScript(message: HistoryMessage | undefined): readonly ScriptedTurn[] | undefined {
  const part = message?.role === 'user' ? message.content[0] : undefined
  if (part?.type !== 'text' || !part.text.startsWith(SCRIPT)) return undefined
  return JSON.parse(part.text.slice(SCRIPT.length)) as readonly ScriptedTurn[]
}

const resultsOf = ({ messages }: ModelRequest): string =>
  messages
    .flatMap(m => (m.role === 'tool' ? m.results : []))
    .map(r => `${r.name} ${unfenceText(r.output_text)}`)
    .join('; ')

function* play(turn: ScriptedTurn, id: string): Generator<ModelPart> {
  if (turn.retried)
    yield {
      type: 'retry',
      error: { code: 'model_overloaded', message: 'busy', retryable: true },
      usage: USAGE,
      cost_usd: 0.001,
    }
  yield { type: 'start', provider_message_id: `msg_${id}`, model: 'script' }
  let index = 0
  if (turn.thinking !== undefined) {
    yield { type: 'block-start', index, kind: 'thinking' }
    yield { type: 'block-delta', index, thinking: turn.thinking }
    yield { type: 'block-delta', index, signature: 'sig' }
    yield { type: 'block-end', index: index++ }
  }
  if (turn.text !== undefined) {
    yield { type: 'block-start', index, kind: 'text' }
    for (const piece of split(turn.text)) yield { type: 'block-delta', index, text: piece }
    yield { type: 'block-end', index: index++ }
  }
  for (const call of turn.calls) {
    yield {
      type: 'block-start',
      index,
      kind: 'tool_use',
      tool: { id: `toolu_${id}_${index}`, name: call.name },
    }
    yield { type: 'block-delta', index, input_text: '' }
    for (const piece of split(JSON.stringify(call.input)))
      yield { type: 'block-delta', index, input_text: piece }
    yield { type: 'block-end', index: index++ }
  }
  const finish = turn.finish ?? (turn.calls.length > 0 ? 'tool_calls' : 'stop')
  yield { type: 'end', stop_reason: finish, finish, usage: USAGE, cost_usd: 0.001 }
}

const split = (text: string): readonly string[] => text.match(/.{1,4}/gsu) ?? []
