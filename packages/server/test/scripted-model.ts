/** A model that does what the latest user message says; for server tests. */
import type { HistoryMessage, Model, ModelPart, ModelRequest, Usage } from '@toolwire/core'

const usage: Usage = { input: 3, output: 2, cache_read: 1, cache_write: 0, reasoning: 0 }

export interface ScriptedModel extends Model {
  /** Lets a `gate` message continue. */
  readonly open: () => void
  readonly calls: () => number
}

/** `echo X`, `long N`, `gate`, `client`, `ask`, `stickers`, `fail`; a tool result is answered with `got <result>`. */
export function createScriptedModel(): ScriptedModel {
  let open: () => void = () => {}
  let calls = 0
  const gate = new Promise<void>(resolve => {
    open = resolve
  })
  return {
    provider: 'scripted',
    id: 'demo',
    open: () => open(),
    calls: () => calls,
    async *stream(request, signal) {
      calls += 1
      const text = lastText(request)
      yield { type: 'start', provider_message_id: `p_${calls}`, model: 'demo' }
      if (text === 'gate') {
        yield { type: 'block-start', index: 0, kind: 'text' }
        yield { type: 'block-delta', index: 0, text: 'before ' }
        await Promise.race([gate, new Promise(resolve => signal.addEventListener('abort', resolve))])
        if (signal.aborted) return
        yield { type: 'block-delta', index: 0, text: 'after' }
        yield { type: 'block-end', index: 0 }
        yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
        return
      }
      yield* script(text)
    },
  }
}

const CALLED: Readonly<Record<string, string | undefined>> = {
  client: 'pick',
  ask: 'Danger',
  stickers: 'StickerRequest',
}

function* script(text: string): Generator<ModelPart> {
  if (text === 'fail') {
    yield { type: 'error', error: { code: 'model_overloaded', message: 'Overloaded', retryable: true } }
    return
  }
  const tool = CALLED[text]
  if (tool === undefined) {
    const many = /^long (\d+)$/.exec(text)?.[1]
    const pieces = many
      ? Array.from({ length: Number(many) }, (_, i) => `word ${i} 你好 `)
      : [text.slice(0, 3), text.slice(3)]
    yield { type: 'block-start', index: 0, kind: 'text' }
    for (const piece of pieces) yield { type: 'block-delta', index: 0, text: piece }
    yield { type: 'block-end', index: 0 }
    yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
    return
  }
  for (const index of tool === 'pick' ? [0, 1] : [0]) {
    yield { type: 'block-start', index, kind: 'tool_use', tool: { id: '', name: tool } }
    yield { type: 'block-delta', index, input_text: '{"n":' }
    yield { type: 'block-delta', index, input_text: `${index}}` }
    yield { type: 'block-end', index }
  }
  yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage }
}

function lastText(request: ModelRequest): string {
  const last: HistoryMessage | undefined = request.messages.at(-1)
  if (last?.role === 'tool') return `got ${last.results.map(result => result.output_text).join(',')}`
  if (last?.role !== 'user') return ''
  return last.content.map(part => (part.type === 'text' ? part.text : '')).join('')
}
