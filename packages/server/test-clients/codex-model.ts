/**
 * A model for codex: every line `CALL <tool> <arguments>` of the latest message makes a call, `FAIL <code>` fails, and
 * `BREAK <code>` fails after half a message. Results are repeated, the rest is greeted.
 */
import type { HistoryMessage, Model, ModelPart, ModelRequest, Usage } from '@toolwire/core'

const USAGE: Usage = { input: 10, output: 5, cache_read: 0, cache_write: 0, reasoning: 0 }

export interface CodexModel extends Model {
  /** Every request so far, oldest first. */
  readonly requests: readonly ModelRequest[]
  /** Resolves when a request that said `HANG` is aborted. */
  readonly aborted: Promise<void>
}

export function createCodexModel(): CodexModel {
  const requests: ModelRequest[] = []
  let onAbort: () => void = () => {}
  const aborted = new Promise<void>(resolve => {
    onAbort = resolve
  })
  return {
    provider: 'anthropic',
    id: 'demo',
    requests,
    aborted,
    async *stream(request, signal) {
      requests.push(request)
      const id = `p_${requests.length}`
      yield { type: 'start', provider_message_id: id, model: 'demo' }
      const text = latestText(request.messages)
      if (text.includes('HANG')) {
        yield* toText('waiting')
        await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
        onAbort()
        return
      }
      const [, failure, code = ''] = /(FAIL|BREAK) (\w+)/.exec(text) ?? []
      if (failure !== undefined) {
        if (failure === 'BREAK') yield* toText('half')
        const message = 'The model refused it.'
        yield { type: 'error', error: { code, message, retryable: false } }
        return
      }
      const calls = [...text.matchAll(/CALL (\S+) (\{.*\})$/gm)]
      for (const [index, [, name = '', input_text = '']] of calls.entries()) {
        yield { type: 'block-start', index, kind: 'tool_use', tool: { id: `toolu_${id}_${index}`, name } }
        yield { type: 'block-delta', index, input_text }
        yield { type: 'block-end', index }
      }
      if (calls.length > 0) {
        yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage: USAGE }
        return
      }
      yield* toText(text.startsWith('GOT ') ? text : 'HELLO')
      yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage: USAGE }
    },
  }
}

function* toText(text: string): Generator<ModelPart> {
  yield { type: 'block-start', index: 0, kind: 'text' }
  yield { type: 'block-delta', index: 0, text }
  yield { type: 'block-end', index: 0 }
}

function latestText(messages: readonly HistoryMessage[]): string {
  const last = messages.findLast(message => message.role !== 'system')
  if (last?.role === 'tool') return `GOT ${last.results.map(result => result.output_text).join(' | ')}`
  if (last?.role !== 'user') return ''
  return last.content.map(part => (part.type === 'text' ? part.text : '')).join('\n')
}
