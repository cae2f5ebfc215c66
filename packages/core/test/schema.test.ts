import { SessionEvent } from '@toolwire/core/schema'
import { expect, test } from 'vitest'

const types = SessionEvent.options.map(option => option.shape.type.value)

test('the vocabulary is pinned: a new or renamed type is a decision, not an accident', () => {
  expect(types).toEqual([
    'session.created',
    'context.set',
    'context.changed',
    'skill.loaded',
    'session.updated',
    'branch.opened',
    'branch.selected',
    'session.bound',
    'run.started',
    'run.paused',
    'run.resumed',
    'run.completed',
    'run.failed',
    'run.cancelled',
    'input.message',
    'input.delivered',
    'input.changed',
    'input.withdrawn',
    'input.tool_output',
    'input.approval',
    'input.cancel',
    'turn.started',
    'message.started',
    'message.aborted',
    'history.compacted',
    'turn.completed',
    'block.started',
    'block.delta',
    'block.completed',
    'tool.ready',
    'tool.approval_requested',
    'tool.approval_resolved',
    'tool.client_requested',
    'tool.queued',
    'tool.started',
    'tool.progress',
    'tool.completed',
    'tool.failed',
    'agent.started',
    'agent.finished',
    'note',
    'hook.answered',
  ])
})

test('an event of an unknown type or with a wrong field is refused', () => {
  const ts = '2026-01-01T00:00:00.000Z'
  expect(SessionEvent.safeParse({ type: 'tool.started', ts, call_id: 'c', attempt: 1 }).success).toBe(true)
  expect(SessionEvent.safeParse({ type: 'tool.started', ts, call_id: 1, attempt: 1 }).success).toBe(false)
  expect(SessionEvent.safeParse({ type: 'tool.exploded', ts }).success).toBe(false)
})
