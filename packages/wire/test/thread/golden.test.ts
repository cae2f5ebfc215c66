import { type Rec, START } from '@toolwire/core'
import { SessionEvent } from '@toolwire/core/schema'
import { describe, expect, it } from 'vitest'
import { chatWire, encodeSse, framesAfter, threadWire, type Wire } from '../../src/index.ts'
import { FLOWS } from './flows.ts'
import { SESSION, THREAD } from './log-builder.ts'

const CASES = new URL('cases/', import.meta.url)
const names = Object.keys(FLOWS)

function stream(wire: Wire, log: readonly Rec[], options = {}): string {
  const step = wire.open({ session_id: SESSION, options })
  return log.flatMap(rec => framesAfter(SESSION, rec, step(rec), START).map(encodeSse)).join('')
}

interface Shown {
  readonly type: string
  readonly [field: string]: unknown
}
function shown(name: string, options = {}): readonly Shown[] {
  const text = stream(threadWire, FLOWS[name] ?? [], options)
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? '') as Shown)
}
const types = (name: string) => shown(name).map(event => event.type)
const one = (name: string, type: string) => shown(name).find(event => event.type === type)

describe('golden pairs of the thread wire', () => {
  it.each(names)('%s', async name => {
    for (const { ev } of FLOWS[name] ?? []) expect(SessionEvent.safeParse(ev).error).toBeUndefined()
    const text = stream(threadWire, FLOWS[name] ?? [])
    await expect(text).toMatchFileSnapshot(new URL(`${name}.thread.txt`, CASES).pathname)
  })

  it.each(names)('%s on the chat wire, from the same log', async name => {
    const text = stream(chatWire, FLOWS[name] ?? [])
    await expect(text).toMatchFileSnapshot(new URL(`${name}.chat.txt`, CASES).pathname)
  })
})

describe('a call of a server tool', () => {
  const tools = shown('server-tool').filter(event => event.type.startsWith('tool.'))

  it('is prepared, called, reported on and answered, in the documented fields', () => {
    expect(tools.map(({ timestamp, ...event }) => event)).toEqual([
      { type: 'tool.preparing', call_id: 'call_123', name: 'get_weather' },
      {
        type: 'tool.call',
        call_id: 'call_123',
        tool_type: 'function',
        name: 'get_weather',
        arguments: '{"city": "台北"}',
      },
      { type: 'tool.progress', call_id: 'call_123', message: '正在查詢…' },
      {
        type: 'tool.result',
        call_id: 'call_123',
        tool_type: 'function',
        name: 'get_weather',
        success: true,
        output: '{"temperature": 25, "weather": "晴天"}',
      },
    ])
  })

  it('is inside its iteration', () => {
    const order = types('server-tool').filter(type => /^(iteration|tool)/.test(type))
    expect(order).toEqual([
      'iteration.started',
      'tool.preparing',
      'tool.call',
      'tool.progress',
      'tool.result',
      'iteration.completed',
      'iteration.started',
      'iteration.completed',
    ])
  })
})

describe('a call of a client tool', () => {
  it('is requested, pauses the conversation, and continues in the same conversation', () => {
    expect(types('client-tool').filter(type => /^(conv|tool|iteration)/.test(type))).toEqual([
      'conversation.started',
      'conversation.data',
      'iteration.started',
      'conversation.data',
      'tool.preparing',
      'tool.execute',
      'iteration.completed',
      'conversation.paused',
      'conversation.resumed',
      'tool.result',
      'iteration.started',
      'conversation.data',
      'iteration.completed',
      'conversation.completed',
    ])
    expect(one('client-tool', 'conversation.resumed')).toMatchObject({
      conversation_id: 'run_1',
      thread_id: THREAD,
    })
    expect(
      shown('client-tool').flatMap(e => (e.type === 'iteration.started' ? [e['iteration']] : [])),
    ).toEqual([0, 1])
  })

  it('is listed by the pause with the same arguments that it was asked with', () => {
    const { call_id, name, arguments: asked } = one('client-tool', 'tool.execute') as Shown
    expect({ call_id, name, arguments: asked }).toEqual({
      call_id: 'call_456',
      name: 'set_temperature',
      arguments: '{"value": 0.8}',
    })
    expect(one('client-tool', 'conversation.paused')).toMatchObject({
      reason: 'client_tool_execution',
      pending_tools: [{ call_id, name, arguments: asked }],
      thread_id: THREAD,
    })
  })

  it('without arguments says {}, so that every client can parse them', () => {
    const executes = shown('mixed-and-partial').filter(event => event.type === 'tool.execute')
    expect(executes.map(event => event['arguments'])).toEqual(['{"value":1}', '{}'])
  })

  it('stays pending when only another one was answered', () => {
    const pauses = shown('mixed-and-partial').filter(event => event.type === 'conversation.paused')
    const pending = pauses.map(event => (event['pending_tools'] as { call_id: string }[]).map(t => t.call_id))
    expect(pending).toEqual([['call_1', 'call_3'], ['call_1']])
  })
})

describe('outputs', () => {
  it('are JSON as received, or a JSON string literal of other text', () => {
    const results = shown('mixed-and-partial').filter(event => event.type === 'tool.result')
    expect(results.map(event => event['output'])).toEqual([
      '"found 3 rows"',
      'true',
      '{"success":false,"error":"no such element"}',
    ])
    expect(results.map(event => event['tool_type'])).toEqual(['mcp', 'function', 'function'])
  })

  it('of a failure come as tool.error and then as tool.result', () => {
    const [error, result] = shown('failures').filter(e => /^tool\.(error|result)$/.test(e.type))
    expect(error).toMatchObject({
      type: 'tool.error',
      error_code: 'TOOL_EXECUTION_ERROR',
      message: 'No such city.',
      retryable: false,
      details: '{"city":"X"}',
      error: { code: 'TOOL_EXECUTION_ERROR', message: 'No such city.' },
    })
    expect(result).toMatchObject({ type: 'tool.result', success: false, output: '{"error":"No such city."}' })
  })
})

describe('approvals', () => {
  it('pause with what is asked, and resume with the decision', () => {
    expect(one('approval-edited', 'conversation.paused')).toMatchObject({
      reason: 'tool_approval_required',
      pending_approvals: [
        {
          call_id: 'call_1',
          approval_id: 'apr_1',
          name: 'Write',
          arguments: '{"path": "a.txt"}',
          message: 'May I write a.txt?',
          allow_edit: true,
          details: { preview: '+hi' },
        },
      ],
    })
    expect(one('approval-edited', 'conversation.paused')).not.toHaveProperty('pending_tools')
    expect(one('approval-edited', 'tool.approved')).toMatchObject({ arguments: '{"path":"b.txt"}' })
    expect(one('approval-denied', 'tool.denied')).toMatchObject({
      reason: 'not that file',
      denied_reason: 'not that file',
    })
    expect(one('approval-denied', 'tool.error')).toMatchObject({ error_code: 'TOOL_APPROVAL_DENIED' })
  })

  it('that are questions pause for input', () => {
    expect(one('question', 'conversation.paused')).toMatchObject({
      reason: 'user_input_required',
      pending_questions: [{ call_id: 'call_1', message: 'Which colour?' }],
    })
  })
})

describe('an answer', () => {
  it.each(names)('%s: every started has its completed before the answer ends', name => {
    const open = new Map<string, number>()
    for (const { type } of shown(name)) {
      const [family, step] = type.split('.')
      if (family === undefined || !/^(iteration|text|reasoning)$/.test(family)) {
        if (/^conversation\.(paused|completed|canceled|error)$/.test(type))
          expect([...open.values()].every(count => count === 0)).toBe(true)
        continue
      }
      const change = step === 'started' ? 1 : step === 'completed' ? -1 : 0
      open.set(family, (open.get(family) ?? 0) + change)
      expect(open.get(family)).toBeGreaterThanOrEqual(0)
    }
  })

  it.each(names)('%s: every event names its type twice and has a time', name => {
    const text = stream(threadWire, FLOWS[name] ?? [], { input_deltas: true, agents: true })
    for (const [, event, data] of text.matchAll(/^event: (.+)\nid: .+\ndata: (.+)\n\n/gm)) {
      const parsed = JSON.parse(data ?? '') as Shown
      expect(parsed.type).toBe(event)
      expect(Date.parse(String(parsed['timestamp']))).not.toBeNaN()
    }
  })

  it('that fails ends with the error and a completion with errors', () => {
    expect(shown('failures').slice(-2)).toMatchObject([
      {
        type: 'conversation.error',
        error_code: 'PROVIDER_ERROR',
        recoverable: true,
        details: { status: 529 },
      },
      { type: 'conversation.completed', status: 'with_errors' },
    ])
  })

  it('that is cancelled in a pause does not claim to resume', () => {
    expect(types('cancelled-pause')).not.toContain('conversation.resumed')
    expect(types('cancelled-pause').at(-1)).toBe('conversation.canceled')
  })

  it('counts cached tokens as read, so that the total is a sum', () => {
    expect(one('server-tool', 'conversation.completed')?.['token_usage']).toEqual({
      input_tokens: 105,
      output_tokens: 20,
      total_tokens: 125,
    })
  })
})

describe('text', () => {
  it('that was interrupted is completed with the text so far, and marked', () => {
    const completed = shown('aborted-and-retried').filter(event => event.type === 'text.completed')
    expect(completed).toMatchObject([
      { content: 'half a sen', aborted: true },
      { content: 'A whole sentence.' },
    ])
    expect(completed[1]).not.toHaveProperty('aborted')
  })

  it('that never streamed still comes as a chunk', () => {
    const log = (FLOWS['server-tool'] ?? []).filter(rec => rec.ev.type !== 'block.delta')
    const text = stream(threadWire, log)
    expect(text).toContain('"type":"text.chunk","content":"我來查。"')
  })

  it('of a nested agent is shown only when asked for; its calls always', () => {
    expect(JSON.stringify(shown('nested-agent'))).not.toContain('inner words')
    const inner = shown('nested-agent', { agents: true }).filter(event => event['agent_id'] === 'agent_1')
    expect(inner.map(event => event.type)).toEqual([
      'text.started',
      'text.chunk',
      'text.completed',
      'tool.preparing',
      'tool.call',
      'tool.result',
    ])
    expect(shown('nested-agent').filter(event => event['agent_id'] === 'agent_1')).toHaveLength(3)
  })
})

describe('arguments while they are written', () => {
  it('are shown only when asked for, and concatenate to the whole', () => {
    expect(types('server-tool')).not.toContain('tool.input.delta')
    const deltas = shown('server-tool', { input_deltas: true }).filter(e => e.type === 'tool.input.delta')
    expect(deltas.map(event => event['delta']).join('')).toBe('{"city": "台北"}')
    expect(deltas[0]).toMatchObject({ call_id: 'call_123' })
  })
})
