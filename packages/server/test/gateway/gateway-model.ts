/**
 * A model for gateway tests that does what the latest user message says: `call a, b` asks for two
 * calls, `think and call a` thinks first, `say X` says X, `write a X` calls `a` with exactly the
 * arguments X, and `cut a X` does so until the output limit; `slow X` begins and waits to be opened. `decline X` refuses with X.
 * `fail X` fails with the code X and can be retried, `refuse X` cannot. Results are answered with `got …`; the result `flaky` makes it fail, once.
 */
import type { HistoryMessage, Model, ModelPart, ModelRequest, Usage } from '@toolwire/core'

const USAGE: Usage = { input: 10, output: 5, cache_read: 3, cache_write: 2, reasoning: 1 }

export interface GatewayModel extends Model {
  /** Every request so far, oldest first. */
  readonly requests: readonly ModelRequest[]
  /** Lets a `fail … late` or a `slow` continue after its first words. */
  readonly open: () => void
  /** Resolves when a `hang` is cut off. */
  readonly aborted: Promise<void>
}

export function createGatewayModel(): GatewayModel {
  const requests: ModelRequest[] = []
  let flaky = false
  let open: () => void = () => {}
  const gate = new Promise<void>(resolve => {
    open = resolve
  })
  let cut: () => void = () => {}
  const aborted = new Promise<void>(resolve => {
    cut = resolve
  })
  return {
    provider: 'anthropic',
    id: 'demo',
    requests,
    aborted,
    open: () => open(),
    async *stream(request, signal) {
      requests.push(request)
      const said = lastText(request)
      const isFlaky = said === 'got flaky' && !flaky
      flaky ||= isFlaky
      const text = isFlaky ? 'fail model_overloaded 529' : said
      yield { type: 'start', provider_message_id: `p_${requests.length}`, model: 'demo' }
      if (text === 'hang' || text === 'silence') {
        if (text === 'hang') yield* piece(0, 'text', 'half ')
        await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
        cut()
        return
      }
      if (text.startsWith('fail') && text.endsWith(' late')) {
        yield* piece(0, 'text', 'half ')
        await gate
      }
      if (text.startsWith('slow ')) {
        yield* piece(0, 'text', 'half ')
        await gate
        yield* piece(1, 'text', text.slice('slow '.length))
        yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage: USAGE }
        return
      }
      yield* script(text, requests.length)
    },
  }
}

function* script(text: string, n: number): Generator<ModelPart> {
  const failure = /^(?:fail|refuse) (\w+) ?(\d+)?( late)?$/.exec(text)
  if (failure) {
    const http_status = failure[2] ? { http_status: Number(failure[2]) } : {}
    const error = {
      code: failure[1] ?? '',
      message: 'No.',
      retryable: text.startsWith('fail'),
      details: { retry_after_ms: 1500 },
    }
    yield { type: 'error', error: { ...error, ...http_status } }
    return
  }
  if (text.startsWith('decline ')) {
    yield* piece(0, 'refusal', text.slice('decline '.length))
    return yield { type: 'end', stop_reason: 'refusal', finish: 'refusal', usage: USAGE }
  }
  const written = /^(write|cut) (\w+) (.*)$/s.exec(text)
  if (written) return yield* writeCall(`toolu_${n}_0`, written)
  let index = 0
  if (text.startsWith('think')) {
    yield { type: 'block-start', index, kind: 'thinking' }
    yield { type: 'block-delta', index, thinking: 'let me ' }
    yield { type: 'block-delta', index, thinking: 'see' }
    yield { type: 'block-delta', index, signature: `sig-${n}` }
    yield { type: 'block-end', index: index++ }
  }
  const calls = /call (.+)$/.exec(text)?.[1]?.split(',') ?? []
  if (calls.length === 0 || text.includes('say')) {
    yield* piece(index++, 'text', /say (.*?)( and call|$)/.exec(text)?.[1] ?? text)
  }
  for (const call of calls) {
    const [name = '', city = ''] = call.trim().split('@')
    const id = `toolu_${n}_${index}`
    yield { type: 'block-start', index, kind: 'tool_use', tool: { id, name } }
    if (city !== '') {
      const json = JSON.stringify({ city })
      yield { type: 'block-delta', index, input_text: json.slice(0, 5) }
      yield { type: 'block-delta', index, input_text: json.slice(5) }
    }
    yield { type: 'block-end', index: index++ }
  }
  const stop = /^say .* and (length|refusal)$/.exec(text)?.[1]
  const reason = calls.length > 0 ? 'tool_use' : stop === 'length' ? 'max_tokens' : (stop ?? 'end_turn')
  const finish = calls.length > 0 ? 'tool_calls' : ((stop ?? 'stop') as 'stop' | 'length' | 'refusal')
  yield { type: 'end', stop_reason: reason, finish, usage: USAGE }
}

function* writeCall(id: string, [, verb, name = '', input_text = '']: RegExpExecArray): Generator<ModelPart> {
  yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id, name } }
  yield { type: 'block-delta', index: 0, input_text }
  yield { type: 'block-end', index: 0 }
  yield verb === 'cut'
    ? { type: 'end', stop_reason: 'max_tokens', finish: 'length', usage: USAGE }
    : { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage: USAGE }
}

function* piece(index: number, kind: 'text' | 'refusal', text: string): Generator<ModelPart> {
  yield { type: 'block-start', index, kind }
  yield { type: 'block-delta', index, text: text.slice(0, 3) }
  yield { type: 'block-delta', index, text: text.slice(3) }
  yield { type: 'block-end', index }
}

function lastText(request: ModelRequest): string {
  const last: HistoryMessage | undefined = request.messages.at(-1)
  if (last?.role === 'tool') return `got ${last.results.map(result => result.output_text).join(' | ')}`
  if (last?.role !== 'user') return 'went on'
  return last.content.map(part => (part.type === 'text' ? part.text : '')).join('')
}
