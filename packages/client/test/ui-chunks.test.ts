/** A run of the log as chunks of the AI SDK. */
import { applyRecords, emptyView } from '@toolwire/core/view'
import { expect, test } from 'vitest'
import { BARE_EVENTS } from '../../core/test/event-samples.ts'
import { Script } from '../../core/test/view/script.ts'
import { type UiChunk, UiChunks } from '../src/compat/ui-chunks.ts'

const chunksOf = (script: Script): readonly UiChunk[] => {
  const chunks = new UiChunks()
  return script.records.flatMap(({ ev }) => chunks.next(ev))
}

const begun = () => new Script().created().ask('hi').turn('m1')
const textOf = (chunks: readonly UiChunk[]) =>
  chunks.flatMap(chunk => (chunk.type === 'text-delta' ? [chunk.delta] : []))

test('text comes as it is written, and text without deltas comes with the whole', () => {
  const script = begun()
  script.add('block.started', { message_id: 'm1', block_id: 'b', index: 0, run_index: 0, kind: 'text' })
  script.add('block.delta', { block_id: 'b', offset: 0, text: 'one ' })
  // Sent twice in part, then with a gap.
  script.add('block.delta', { block_id: 'b', offset: 2, text: 'e two ' })
  script.add('block.delta', { block_id: 'b', offset: 14, text: 'four' })
  script.add('block.completed', { block_id: 'b', text: 'one two three four' })
  const chunks = chunksOf(script)
  expect(textOf(chunks)).toEqual(['one ', 'two ', 'three four'])
  expect(chunks.map(chunk => chunk.type)).toEqual([
    'start',
    'start-step',
    'text-start',
    'text-delta',
    'text-delta',
    'text-delta',
    'text-end',
  ])
})

test('an aborted message leaves nothing open', () => {
  const script = begun()
  for (const kind of ['text', 'thinking'] as const)
    script.add('block.started', { message_id: 'm1', block_id: kind, index: 0, run_index: 0, kind })
  script.add('message.aborted', { message_id: 'm1', reason: 'connection' })
  expect(chunksOf(script).slice(-3)).toEqual([
    { type: 'text-end', id: 'text' },
    { type: 'reasoning-end', id: 'thinking' },
    { type: 'finish-step' },
  ])
})

test('what an agent inside a call does is left out', () => {
  const script = begun().call('m1', 0, 'c1', { name: 'Agent' })
  const before = chunksOf(script).length
  const inside = { agent_run_id: 'a1' }
  script.add('message.started', { ...inside, message_id: 'm2', provider_message_id: 'p', role: 'assistant' })
  script.add('block.started', {
    ...inside,
    message_id: 'm2',
    block_id: 'x',
    index: 0,
    run_index: 1,
    kind: 'text',
  })
  script.add('tool.started', { ...inside, call_id: 'c9', attempt: 1 })
  expect(chunksOf(script)).toHaveLength(before)
  expect(applyRecords(emptyView(), script.records).calls.get('c1')?.name).toBe('Agent')
})

test('every way in which a call can end has its own chunk', () => {
  const end = (finish: (script: Script) => Script) => chunksOf(finish(begun().call('m1', 0, 'c1'))).at(-1)
  const of = { toolCallId: 'c1', dynamic: true, providerExecuted: true }
  expect(end(script => script.done('c1', 'fine'))).toEqual({
    type: 'tool-output-available',
    output: 'fine',
    ...of,
  })
  expect(end(script => script.done('c1', 'bad', true))).toEqual({
    type: 'tool-output-error',
    errorText: 'bad',
    ...of,
  })
  expect(end(script => script.failed('c1', 'execution'))).toMatchObject({ type: 'tool-output-error', ...of })
  expect(end(script => script.failed('c1', 'permission'))).toEqual({
    type: 'tool-output-denied',
    toolCallId: 'c1',
  })
})

test('a question and an approval that need no answer are not asked for', () => {
  const asked = (more: object) =>
    chunksOf(
      begun()
        .call('m1', 0, 'c1')
        .add('tool.approval_requested', {
          approval_id: 'ap',
          call_id: 'c1',
          name: 'Bash',
          allow_edit: false,
          ...more,
        }),
    ).filter(chunk => chunk.type === 'tool-approval-request')
  expect(asked({})).toEqual([{ type: 'tool-approval-request', approvalId: 'ap', toolCallId: 'c1' }])
  expect(asked({ kind: 'question' })).toEqual([])
  expect(asked({ automatic: true })).toEqual([])
})

test('an event without what its type promises has no chunks that need it, and breaks nothing', () => {
  for (const { type } of BARE_EVENTS) {
    const chunks = new UiChunks().next({ type } as never)
    expect([type, chunks.filter(chunk => 'text' in chunk || 'errorText' in chunk)]).toEqual([type, []])
  }
})

test('unknown words, also those that objects inherit, are other', () => {
  const chunks = new UiChunks()
  const ended = BARE_EVENTS.find(({ type }) => type === 'run.completed')
  const began = BARE_EVENTS.find(({ type }) => type === 'block.started')
  expect(chunks.next({ ...ended, finish: 'constructor' } as never)).toEqual([
    { type: 'finish', finishReason: 'other' },
  ])
  expect(chunks.next({ ...began, kind: 'constructor' } as never)).toEqual([])
})
