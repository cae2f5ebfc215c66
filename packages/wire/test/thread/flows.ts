/** One log per flow of the thread protocol. Every one is legal for the schema; the golden test checks that. */
import type { Rec } from '@toolwire/core'
import { CLIENT_TOOL, clientItem, LogBuilder, MCP_TOOL, SERVER_TOOL } from './log-builder.ts'

const EDIT = '{"path": "a.txt"}'
const WRITE = { ...SERVER_TOOL, name: 'Write' }
const approval = (kind: 'approval' | 'question', message: string) =>
  ({ kind, id: 'apr_1', call_id: 'call_1', name: 'Write', input_text: EDIT, message }) as const

const asked = (message: string, kind: 'approval' | 'question' = 'approval') =>
  new LogBuilder()
    .message('write it')
    .turn()
    .call('call_1', WRITE, EDIT)
    .turnEnd(true)
    .put({
      type: 'tool.approval_requested',
      approval_id: 'apr_1',
      call_id: 'call_1',
      name: 'Write',
      kind,
      message,
      allow_edit: true,
      details: { preview: '+hi' },
    })
    .pause(kind === 'question' ? 'user_input_required' : 'tool_approval_required', approval(kind, message))

const BAD_JSON = { code: 'bad_json', layer: 'schema', message: 'Not JSON.', retryable: true } as const
const BROKEN = { code: 'failed', layer: 'execution', message: 'No such city.', retryable: false } as const

const serverTool = new LogBuilder()
  .message('台北天氣?')
  .turn()
  .text('我來', '查。')
  .call('call_123', SERVER_TOOL, '{"city":', ' "台北"}')
  .turnEnd(true)
  .put({ type: 'tool.started', call_id: 'call_123', attempt: 1 })
  .put({ type: 'tool.progress', call_id: 'call_123', message: '正在查詢…' })
  .done('call_123', '{"temperature": 25, "weather": "晴天"}')
  .turn()
  .text('25 度,', '晴天。')
  .turnEnd(false)
  .complete()

const clientTool = new LogBuilder()
  .message('把溫度調到 0.8')
  .turn()
  .text('好的。')
  .call('call_456', CLIENT_TOOL, '{"value":', ' 0.8}')
  .turnEnd(true)
  .ask('call_456', '{"value": 0.8}')
  .pause('client_tool_execution', clientItem('call_456', '{"value": 0.8}'))
  .output('call_456', '{"success": true, "new_value": 0.8}')
  .resume('run_2', 'run_1')
  .done('call_456', '{"success": true, "new_value": 0.8}')
  .turn()
  .text('已調到 0.8。')
  .turnEnd(false)
  .complete()

const mixedAndPartial = new LogBuilder()
  .message('both')
  .turn()
  .call('call_1', CLIENT_TOOL, '{"value":1}')
  .call('call_2', MCP_TOOL, '{}')
  .call('call_3', CLIENT_TOOL, '')
  .turnEnd(true)
  .ask('call_1', '{"value":1}')
  .done('call_2', 'found 3 rows')
  .ask('call_3', '')
  .pause('client_tool_execution', clientItem('call_1', '{"value":1}'), clientItem('call_3', ''))
  .output('call_3', 'true')
  .resume('run_2', 'run_1')
  .done('call_3', 'true')
  .pause('client_tool_execution', clientItem('call_1', '{"value":1}'))
  .output('call_1', '{"success":false,"error":"no such element"}')
  .resume('run_3', 'run_1')
  .done('call_1', '{"success":false,"error":"no such element"}', true)
  .turn()
  .text('Done.')
  .turnEnd(false)
  .complete()

const resolved = {
  type: 'tool.approval_resolved',
  approval_id: 'apr_1',
  call_id: 'call_1',
  by: 'client',
} as const

const approved = asked('May I write a.txt?')
  .put({ type: 'input.approval', approval_id: 'apr_1', call_id: 'call_1', decision: 'approved' })
  .resume('run_2', 'run_1', 'approvals')
  .put({ ...resolved, decision: 'approved', edited_input_text: '{"path":"b.txt"}' })
  .put({ type: 'tool.started', call_id: 'call_1', attempt: 1 })
  .done('call_1', 'Wrote b.txt')
  .turn()
  .text('Written.')
  .turnEnd(false)
  .complete()

const denied = asked('May I write a.txt?')
  .put({ type: 'input.approval', approval_id: 'apr_1', call_id: 'call_1', decision: 'denied' })
  .resume('run_2', 'run_1', 'approvals')
  .put({ ...resolved, decision: 'denied', reason: 'not that file' })
  .failed('call_1', {
    code: 'denied_user',
    layer: 'permission',
    message: 'The user refused: not that file',
    retryable: false,
  })
  .turn()
  .text('Understood.')
  .turnEnd(false)
  .complete()

const question = asked('Which colour?', 'question')
  .resume('run_2', 'run_1', 'approvals')
  .put({ ...resolved, decision: 'approved', answer_text: 'blue' })
  .done('call_1', 'blue')
  .turn()
  .text('Blue it is.')
  .turnEnd(false)
  .complete()

const failures = new LogBuilder()
  .message('fail')
  .turn()
  .call('call_1', SERVER_TOOL, '{"city":"X"}')
  .turnEnd(true)
  .failed('call_1', { ...BROKEN, details: { city: 'X' } })
  .turn()
  .thinking('hm')
  .text('half')
  .fail({ code: 'model_overloaded', message: 'Try later.', retryable: true, details: { status: 529 } })

function abortedAndRetried(): LogBuilder {
  const log = new LogBuilder().message('go').turn()
  const block_id = log.startBlock('text')
  log.put({ type: 'block.delta', block_id, offset: 0, text: 'half a sen' })
  log.startBlock('tool_use', { ...SERVER_TOOL, call_id: 'call_1' })
  return log
    .failed('call_1', { ...BAD_JSON, layer: 'aborted', code: 'interrupted' })
    .put({ type: 'message.aborted', message_id: 'msg_0', reason: 'interrupted' })
    .turn()
    .text('A whole sentence.')
    .turnEnd(false)
    .complete()
}

const cancelledPause = new LogBuilder()
  .message('wait')
  .turn()
  .call('call_1', CLIENT_TOOL, '{"value":1}')
  .turnEnd(true)
  .ask('call_1', '{"value":1}')
  .pause('client_tool_execution', clientItem('call_1', '{"value":1}'))
  .put({ type: 'input.cancel', reason: 'changed my mind', by: 'client' })
  .resume('run_2', 'run_1', 'cancel')
  .failed('call_1', { code: 'interrupted', layer: 'aborted', message: 'Cancelled.', retryable: true })
  .cancel('changed my mind')

const nestedAgent = new LogBuilder()
  .message('delegate')
  .turn()
  .call('call_1', { ...SERVER_TOOL, name: 'Agent' }, '{}')
  .turnEnd(true)
  .put({
    type: 'agent.started',
    agent_run_id: 'agent_1',
    name: 'helper',
    parent_call_id: 'call_1',
    prompt: 'p',
  })
  .asAgent('agent_1')
  .turn()
  .text('inner words')
  .call('call_1', SERVER_TOOL, '{"city":"Y"}')
  .turnEnd(true)
  .done('call_1', '1')
  .asRoot()
  .put({ type: 'agent.finished', agent_run_id: 'agent_1', outcome: 'success', result: 'r' })
  .done('call_1', 'r')
  .turn()
  .text('outer words')
  .turnEnd(false)
  .complete()

export const FLOWS: Readonly<Record<string, readonly Rec[]>> = {
  'server-tool': serverTool.records,
  'client-tool': clientTool.records,
  'mixed-and-partial': mixedAndPartial.records,
  'approval-edited': approved.records,
  'approval-denied': denied.records,
  question: question.records,
  failures: failures.records,
  'aborted-and-retried': abortedAndRetried().records,
  'cancelled-pause': cancelledPause.records,
  'nested-agent': nestedAgent.records,
}
