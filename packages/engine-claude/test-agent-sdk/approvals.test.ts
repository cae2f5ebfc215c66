/** The program's own tools: its questions are approvals of the log. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { weather } from './scripts.ts'
import { conversation, openStage, type Stage, type Turn } from './stage.ts'

let stage: Stage
afterEach(async () => await stage.close())

const bash = (command: string): Turn => ({
  type: 'tool_call',
  id: 'toolu_B',
  name: 'Bash',
  input: { command, description: 'writes a file' },
})
const script = (...calls: readonly Turn[]): readonly Turn[] => [
  { when: { turn: 1 }, emit: calls },
  { emit: [{ type: 'text', text: 'As you say.' }] },
]

async function decide(decision: 'approved' | 'denied', reason?: string): Promise<void> {
  const [asked] = await stage.events('tool.approval_requested')
  await stage.append({
    type: 'input.approval',
    ts: '2026-01-01T00:00:00.000Z',
    run_id: crypto.randomUUID(),
    approval_id: asked?.approval_id ?? '',
    call_id: 'toolu_B',
    decision,
    ...(reason === undefined ? {} : { reason }),
  })
}

test('an approved call runs in the program, after the approval', async () => {
  stage = await openStage(script(bash('echo hi > made.txt && cat made.txt')), { ownTools: ['Bash'] })
  await stage.open('write it')
  expect((await stage.settle()).phase).toBe('paused')
  const [pause] = await stage.events('run.paused')
  expect(pause?.pending.map(item => [item.kind, item.call_id, item.name])).toEqual([
    ['approval', 'toolu_B', 'Bash'],
  ])
  await expect(readFile(join(stage.home, 'made.txt'))).rejects.toThrow('ENOENT')
  await decide('approved')
  expect((await stage.settle()).phase).toBe('idle')
  expect(await readFile(join(stage.home, 'made.txt'), 'utf8')).toBe('hi\n')
  const [done] = await stage.events('tool.completed')
  expect(done).toMatchObject({ call_id: 'toolu_B', output_text: 'hi', is_error: false })
  expect(await stage.events('tool.started')).toHaveLength(1)
  expect(stage.upstream.requests).toHaveLength(2)
})

test('what the program deems harmless runs without a question, and its result is in the log', async () => {
  stage = await openStage(
    [
      { when: { turn: 2 }, emit: [{ type: 'text', text: 'Read.' }] },
      { emit: [{ type: 'tool_call', id: 'toolu_R', name: 'Bash', input: { command: 'cat note.txt' } }] },
    ],
    { ownTools: ['Bash'] },
  )
  await writeFile(join(stage.home, 'note.txt'), 'milk')
  await stage.open('read it')
  expect((await stage.settle()).phase).toBe('idle')
  expect(await stage.events('tool.approval_requested')).toEqual([])
  expect((await stage.events('tool.completed')).map(event => event.output_text)).toEqual(['milk'])
  expect(await stage.events('tool.started')).toHaveLength(1)
})

test('a denied call does not run, and the model reads why', async () => {
  stage = await openStage(script(bash('echo hi > made.txt')), { ownTools: ['Bash'] })
  await stage.open('write it')
  await stage.settle()
  await decide('denied', 'not today')
  expect((await stage.settle()).phase).toBe('idle')
  await expect(readFile(join(stage.home, 'made.txt'))).rejects.toThrow('ENOENT')
  expect((await stage.events('tool.failed')).map(event => event.error.code)).toEqual(['denied_user'])
  expect(JSON.stringify(conversation(stage.upstream, 1).at(-1))).toContain('not today')
})

test('a question and a client call of one message are pending together', async () => {
  stage = await openStage(script(bash('echo hi > made.txt'), weather('toolu_A1', 'Paris')), {
    ownTools: ['Bash'],
  })
  await stage.open('both')
  await stage.settle()
  const [pause] = await stage.events('run.paused')
  expect(pause?.pending.map(item => [item.kind, item.call_id])).toEqual([
    ['approval', 'toolu_B'],
    ['client_tool', 'toolu_A1'],
  ])
  await stage.answer('toolu_A1', 'sun')
  await stage.settle()
  await decide('approved')
  expect((await stage.settle()).phase).toBe('idle')
  expect(stage.upstream.requests).toHaveLength(2)
})

test('an approval that comes after the process was released holds for the same call, made again, once', async () => {
  const again = bash('echo hi >> made.txt')
  stage = await openStage(
    [
      { when: { turn: 4 }, emit: [{ type: 'text', text: 'As you say.' }] },
      { when: { turn: 3 }, emit: [{ ...again, id: 'toolu_B3' }] },
      { when: { turn: 2 }, emit: [{ ...again, id: 'toolu_B2' }] },
      { emit: [again] },
    ],
    { ownTools: ['Bash'], hotMs: 0 },
  )
  await stage.open('write it')
  await stage.settle()
  await stage.released()
  await expect(readFile(join(stage.home, 'made.txt'))).rejects.toThrow('ENOENT')
  await decide('approved')
  expect((await stage.settle()).phase).toBe('paused')
  expect((await stage.events('tool.failed')).map(event => [event.call_id, event.error.code])).toEqual([
    ['toolu_B', 'interrupted'],
  ])
  expect((await stage.events('tool.completed')).map(event => event.call_id)).toEqual(['toolu_B2'])
  expect(await readFile(join(stage.home, 'made.txt'), 'utf8')).toBe('hi\n')
  expect((await stage.events('tool.approval_requested')).map(event => event.call_id)).toEqual([
    'toolu_B',
    'toolu_B3',
  ])
})
