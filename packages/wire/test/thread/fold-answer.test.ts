import { createSelector, type Follow } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { foldThreadAnswer, threadWire } from '../../src/index.ts'
import { FLOWS } from './flows.ts'
import { LogBuilder, SESSION, THREAD } from './log-builder.ts'

function answer(flow: string, run_id: string) {
  const step = threadWire.open({ session_id: SESSION })
  const follow: Follow = { kind: 'run', run_id }
  const follower = createSelector(follow)
  const frames = (FLOWS[flow] ?? []).flatMap(rec => {
    const made = step(rec)
    return follower(rec).shown ? made : []
  })
  return foldThreadAnswer(frames)
}

describe('an answer that is not streamed', () => {
  it('says what the last iteration said', () => {
    expect(answer('server-tool', 'run_1')).toEqual({
      outputs: [{ type: 'output_text', text: '25 度,晴天。' }],
      msg_id: 'msg_1',
      thread_id: THREAD,
      conversation_id: 'run_1',
      status: 'success',
      token_usage: { input_tokens: 105, output_tokens: 20, total_tokens: 125 },
    })
  })

  it('of a pause lists what is awaited, and of its resumption what came of it', () => {
    expect(answer('client-tool', 'run_1')).toMatchObject({
      outputs: [{ type: 'output_text', text: '好的。' }],
      status: 'paused',
      reason: 'client_tool_execution',
      pending_tools: [{ call_id: 'call_456', name: 'set_temperature', arguments: '{"value": 0.8}' }],
    })
    expect(answer('client-tool', 'run_2')).toMatchObject({
      outputs: [{ text: '已調到 0.8。' }],
      conversation_id: 'run_1',
      status: 'success',
    })
    expect(answer('approval-edited', 'run_1').pending_approvals).toHaveLength(1)
  })

  it('reports each deviation from the request once, and nothing of nested agents', () => {
    const [ignored, lowered] = ['top_k', 'budget'].map(code => ({ code, message: `${code}: ignored` }))
    const step = threadWire.open({ session_id: SESSION })
    const frames = (FLOWS['server-tool'] ?? []).flatMap(rec => {
      const { ev } = rec
      if (ev.type !== 'message.started') return step(rec)
      const warnings = ev.message_id === 'msg_0' ? [ignored] : [ignored, lowered]
      return step({ ...rec, ev: { ...ev, warnings: warnings.flatMap(one => one ?? []) } })
    })
    expect(foldThreadAnswer(frames).warnings).toEqual([ignored, lowered])
    expect(answer('server-tool', 'run_1')).not.toHaveProperty('warnings')
  })

  it('omits aborted text', () => {
    const log = new LogBuilder().message('go').turn()
    const block_id = log.startBlock('text')
    log.put({ type: 'block.delta', block_id, offset: 0, text: 'half a sen' })
    log.put({ type: 'message.aborted', message_id: 'msg_0', reason: 'failed' })
    log.fail({ code: 'model_error', message: 'x', retryable: false, provider: 'demo', http_status: 500 })
    const step = threadWire.open({ session_id: SESSION })
    expect(foldThreadAnswer(log.records.flatMap(step))).toMatchObject({
      outputs: [{ text: '' }],
      error: { details: { provider: 'demo', status: 500 } },
    })
    expect(answer('aborted-and-retried', 'run_1').outputs).toEqual([
      { type: 'output_text', text: 'A whole sentence.' },
    ])
  })

  it('holds the error of a run that failed, and the reason of one that was cancelled', () => {
    expect(answer('failures', 'run_1')).toMatchObject({
      status: 'with_errors',
      error: { code: 'PROVIDER_ERROR', message: 'Try later.', retryable: true },
    })
    expect(answer('cancelled-pause', 'run_2')).toMatchObject({
      status: 'canceled',
      reason: 'changed my mind',
    })
  })
})
