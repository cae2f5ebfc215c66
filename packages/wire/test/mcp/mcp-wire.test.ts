/** The wire of calls over MCP: what a call's session becomes for its host. */
import type { Rec, SessionEvent } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type McpFrame, mcpWire, readMcpFrame, withOptions } from '../../src/index.ts'
import { randomLog } from '../random-log.ts'
import { findBrokenCut, SESSION } from '../resume-property.ts'

const agentWire = withOptions(mcpWire, { agent: true })
const ts = '2026-01-01T00:00:00.000Z'
const ENDED = { usage_by_model: [], duration_ms: 1, num_turns: 1 }

function framesOf(events: readonly object[], wire = mcpWire): readonly McpFrame[] {
  const step = wire.open({ session_id: SESSION })
  return events.flatMap((ev, i) =>
    step({ seq: i + 1, ev: { ts, ...ev } as SessionEvent } as Rec).map(readMcpFrame),
  )
}
const started = { type: 'run.started', run_id: 'r', conversation_id: 'c', trigger: 'message', model: 'm' }
const finished = { type: 'run.completed', status: 'success', finish: 'stop', result_text: 'done', ...ENDED }
const completed = {
  type: 'tool.completed',
  call_id: 'c1',
  content: [],
  output_text: 'out',
  is_error: false,
  duration_ms: 1,
}

describe('a tool call', () => {
  it('ends with the content, structure and ids of its result', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }
    const linked = { type: 'document', source: { type: 'url', url: 'https://a.example/x' }, title: 'X' }
    const call = {
      ...completed,
      content: [{ type: 'text', text: 'out' }, image, linked],
      structured: { a: 1 },
    }
    expect(framesOf([started, call, finished])).toEqual([
      {
        type: 'result',
        end: 'completed',
        result: {
          content: [
            { type: 'text', text: 'out' },
            { type: 'image', data: 'AA==', mimeType: 'image/png' },
            { type: 'resource_link', uri: 'https://a.example/x', name: 'X' },
          ],
          structuredContent: { a: 1 },
          _meta: { 'toolwire/session_id': SESSION, 'toolwire/call_id': 'c1' },
        },
      },
    ])
  })

  it('ends with an error result when the tool, or its run, failed', () => {
    const failed = { type: 'tool.failed', call_id: 'c1', error: {}, output_text: 'no', duration_ms: 0 }
    const broken = { type: 'run.failed', error: { code: 'internal', message: 'broken' }, ...ENDED }
    const cancelled = { type: 'run.cancelled', reason: 'by a user', ...ENDED }
    for (const [events, text, end] of [
      [[started, failed, finished], 'no', 'completed'],
      [[started, broken], 'broken', 'failed'],
      [[started, cancelled], 'Cancelled: by a user', 'cancelled'],
      [[started, finished], 'The call ended without a result.', 'completed'],
    ] as const)
      expect(framesOf(events)).toMatchObject([
        { type: 'result', end, result: { content: [{ type: 'text', text }], isError: true } },
      ])
  })

  it('reports growing progress alone', () => {
    const progress = (more: object) => ({ type: 'tool.progress', call_id: 'c1', ...more })
    const steps = [
      { progress: 2, total: 4 },
      { progress: 2 },
      { progress: 1 },
      { message: 'on' },
      { progress: Number.NaN },
    ]
    expect(framesOf([started, ...steps.map(progress)])).toEqual([
      { type: 'progress', progress: 2, total: 4 },
      { type: 'progress', progress: 3, message: 'on' },
    ])
  })

  it('reports what it waits for, and nothing of nested agents', () => {
    const pending = [{ kind: 'approval', id: 'apr_1', call_id: 'c1', name: 'X', input_text: '{}' }]
    const paused = { type: 'run.paused', reason: 'approval_required', pending }
    expect(framesOf([started, { ...paused, agent_run_id: 'a' }, paused])).toEqual([
      { type: 'paused', pending },
    ])
  })
})

describe('an agent', () => {
  it('ends with its text and the session to continue in', () => {
    expect(framesOf([started, completed, finished], agentWire)).toEqual([
      {
        type: 'result',
        end: 'completed',
        result: {
          content: [
            { type: 'text', text: 'done' },
            { type: 'text', text: `session_id: ${SESSION}` },
          ],
          structuredContent: { text: 'done', session_id: SESSION },
          _meta: { 'toolwire/session_id': SESSION },
        },
      },
    ])
  })
})

it.each([mcpWire, agentWire])('continues byte for byte after a cut at any frame', wire => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), seed => {
      expect(findBrokenCut(wire, randomLog(seed))).toBeUndefined()
    }),
    { numRuns: 40 },
  )
})
