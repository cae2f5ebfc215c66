/** Tools for server tests: `pick` and `StickerRequest` are run by the client, `Danger` needs an approval. */
import type { CallState, SessionEvent, ToolHost, ToolScope, ToolSystem } from '@toolwire/core'

const CLIENT = new Set(['pick', 'StickerRequest'])

export const scriptedTools: ToolSystem = {
  specs: () => [],
  describe: name => ({ tool_type: 'function', executor: CLIENT.has(name) ? 'client' : 'server' }),
  async ready(call, _scope, voice) {
    const { call_id, name, tool_type, executor, input_text } = call
    const input: unknown = JSON.parse(input_text)
    return [{ type: 'tool.ready', ...voice.stamp(), call_id, name, tool_type, executor, input_text, input }]
  },
  async settle(calls, scope, voice) {
    for (const call of calls) await voice.commit(...advance(call, scope, voice))
  },
}

function advance(call: CallState, scope: ToolScope, voice: ToolHost): readonly SessionEvent[] {
  const { call_id, name, input_text } = call
  const at = voice.stamp()
  const complete = (output_text: string): SessionEvent => ({
    type: 'tool.completed',
    ...at,
    call_id,
    content: [],
    output_text,
    is_error: false,
    duration_ms: 1,
  })
  if (call.cancel) {
    const error = { code: 'interrupted', layer: 'aborted', message: 'stopped', retryable: true } as const
    return [{ type: 'tool.failed', ...at, call_id, error, output_text: 'stopped', duration_ms: 1 }]
  }
  if (CLIENT.has(name)) {
    const answer = call.client?.answer
    return answer
      ? [complete(answer.output_text)]
      : [{ type: 'tool.client_requested', ...at, call_id, name, input_text }]
  }
  const answer = call.approval?.answer
  if (!call.approval) {
    const approval_id = voice.newId(`apr_${scope.session_id}.`)
    return [{ type: 'tool.approval_requested', ...at, approval_id, call_id, name, allow_edit: false }]
  }
  if (!answer) return []
  const { approval_id, decision } = answer
  return [
    { type: 'tool.approval_resolved', ...at, approval_id, call_id, decision, by: 'client' },
    complete(decision === 'approved' ? 'ran' : 'denied'),
  ]
}
