/** Undo: files come back byte for byte, and no later change is lost. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { createUndo, type Undo, type UndoScope } from '../src/undo/undo.ts'
import { createStage, type Stage } from './stage.ts'

let stage: Stage
beforeEach(() => {
  stage = createStage({ tools: createBuiltinTools(), mode: 'acceptEdits' })
})
afterEach(() => stage.close())

const bytes = (name: string): string => readFileSync(stage.path(name), 'latin1')
const write = (name: string, content: string) =>
  stage.one('Write', { file_path: stage.path(name), content }).then(call => call.call_id)

async function edit(name: string, old_string: string, new_string: string): Promise<string> {
  await stage.one('Read', { file_path: stage.path(name) })
  const call = await stage.one('Edit', { file_path: stage.path(name), old_string, new_string })
  expect(call.outcome).toMatchObject({ is_error: false })
  return call.call_id
}

/** Undo over a store that holds what the stage has recorded so far; later undos see earlier ones. */
async function openUndo(events: readonly SessionEvent[] = stage.records.map(rec => rec.ev)): Promise<{
  readonly undo: (scope: UndoScope, dryRun?: boolean) => ReturnType<Undo>
}> {
  const log = createMemoryStore()
  await log.append([{ session: 'ses_1', create: true, events: [...events] }])
  let n = 0
  const undo = createUndo({
    log,
    artifacts: join(stage.dir, 'artifacts'),
    now: () => new Date(0),
    newId: prefix => `${prefix}${++n}`,
  })
  return { undo: (scope, dryRun = false) => undo('ses_1', { ...scope, dryRun }) }
}

describe('one call', () => {
  test('an edit comes back byte for byte; a dry run shows it and changes nothing', async () => {
    writeFileSync(stage.path('a.txt'), 'caf\xe9\r\nold\r\n', 'latin1')
    const id = await edit('a.txt', 'old', 'new')
    const { undo } = await openUndo()
    const dry = await undo({ call: id }, true)
    expect(dry).toMatchObject({ dry_run: true, files: [{ action: 'restored', call_ids: [id] }] })
    expect(dry.files[0]?.diff).toMatch(/-new[\s\S]*\+old/)
    expect(bytes('a.txt')).toContain('new')
    expect(await undo({ call: id })).toMatchObject({ dry_run: false, files: [{ action: 'restored' }] })
    expect(bytes('a.txt')).toBe('caf\xe9\r\nold\r\n')
  })

  test('a file too large to be kept for a diff comes back too', async () => {
    const content = `old\n${'x'.repeat(300 * 1024)}\n`
    writeFileSync(stage.path('a.txt'), content)
    const id = await edit('a.txt', 'old', 'new')
    const { undo } = await openUndo()
    expect(await undo({ call: id })).toMatchObject({ files: [{ action: 'restored' }] })
    expect(bytes('a.txt') === content).toBe(true)
  })

  test('only the named files are taken back; naming none that changed is an error', async () => {
    const first = await write('one.txt', '1\n')
    await write('two.txt', '2\n')
    const { undo } = await openUndo()
    const paths = [stage.path('two.txt')]
    expect(await undo({ session: true, paths }, true)).toMatchObject({
      files: [{ path: stage.path('two.txt'), action: 'removed', diff: expect.stringContaining('-2') }],
    })
    expect(await undo({ session: true, paths })).toMatchObject({ files: [{ action: 'removed' }] })
    expect(existsSync(stage.path('one.txt'))).toBe(true)
    await expect(undo({ call: first, paths })).rejects.toMatchObject({ code: 'unknown_call' })
    await expect(undo({ session: true, paths: ['/other'] })).rejects.toMatchObject({ code: 'unknown_call' })
  })

  test('a file that the call made is removed', async () => {
    const id = await write('new.txt', 'hello\n')
    const { undo } = await openUndo()
    expect(await undo({ call: id })).toMatchObject({ files: [{ action: 'removed' }] })
    expect(existsSync(stage.path('new.txt'))).toBe(false)
  })

  test('a later change of the same file blocks it until that is undone too', async () => {
    const first = await write('a.txt', 'one\n')
    const second = await edit('a.txt', 'one', 'two')
    const { undo } = await openUndo()
    expect(await undo({ call: first })).toMatchObject({
      files: [{ action: 'conflict', message: expect.stringContaining('came after') }],
    })
    expect(bytes('a.txt')).toBe('two\n')
    await undo({ call: second })
    expect(bytes('a.txt')).toBe('one\n')
    expect(await undo({ call: first })).toMatchObject({ files: [{ action: 'removed' }] })
  })

  test('later changes by other programs are left alone', async () => {
    const id = await write('a.txt', 'one\n')
    writeFileSync(stage.path('a.txt'), 'mine\n')
    const { undo } = await openUndo()
    expect(await undo({ call: id })).toMatchObject({ files: [{ action: 'conflict' }] })
    expect(bytes('a.txt')).toBe('mine\n')
  })

  test('a link that took the place of the file is not followed', async () => {
    const id = await write('a.txt', 'one\n')
    rmSync(stage.path('a.txt'))
    writeFileSync(stage.path('target'), 'one\n')
    symlinkSync(stage.path('target'), stage.path('a.txt'))
    const { undo } = await openUndo()
    expect(await undo({ call: id })).toMatchObject({ files: [{ action: 'conflict' }] })
    expect(bytes('target')).toBe('one\n')
  })

  test('content that is not kept any more is said to be lost', async () => {
    writeFileSync(stage.path('a.txt'), 'old\n')
    const id = await edit('a.txt', 'old', 'new')
    rmSync(join(stage.dir, 'artifacts'), { recursive: true })
    const { undo } = await openUndo()
    expect(await undo({ call: id })).toMatchObject({ files: [{ action: 'lost' }] })
    expect(bytes('a.txt')).toBe('new\n')
  })

  test('an id without changes is refused', async () => {
    const { undo } = await openUndo()
    await expect(undo({ call: 'nosuch' })).rejects.toMatchObject({ code: 'unknown_call' })
  })

  test('a call includes what its subagents wrote', async () => {
    const file = stage.path('a.txt')
    mkdirSync(stage.workspace, { recursive: true })
    await write('a.txt', 'one\n')
    const note = stage.records.findLast(rec => rec.ev.type === 'note' && rec.ev.name.startsWith('change:'))
    const at = { ts: '', run_id: 'run_1', agent_run_id: 'agent_1' }
    const own = note?.ev.type === 'note' ? (note.ev.value as object) : {}
    stage.append(
      { type: 'agent.started', ...at, name: 'a', parent_call_id: 'parent', prompt: '' },
      { type: 'note', ...at, name: 'change:nested', value: { ...own, path: stage.path('b.txt') } },
    )
    writeFileSync(stage.path('b.txt'), 'one\n')
    const { undo } = await openUndo()
    expect(await undo({ call: 'parent' })).toMatchObject({
      files: [{ path: stage.path('b.txt'), action: 'removed', call_ids: ['nested'] }],
    })
    expect(existsSync(file)).toBe(true)
  })
})

describe('more than one call', () => {
  test('an exchange comes back as a whole, several changes of one file in one step', async () => {
    writeFileSync(stage.path('a.txt'), 'zero\n')
    await edit('a.txt', 'zero', 'one')
    await edit('a.txt', 'one', 'two')
    await write('b.txt', 'b\n')
    const { undo } = await openUndo()
    const { files } = await undo({ turn: 'conv_1' })
    expect(files.map(file => [file.action, file.call_ids.length])).toEqual([
      ['restored', 2],
      ['removed', 1],
    ])
    expect(bytes('a.txt')).toBe('zero\n')
  })

  test('everything comes back but what cannot; the second time there is nothing left to do', async () => {
    await write('a.txt', 'a\n')
    await write('b.txt', 'b\n')
    writeFileSync(stage.path('b.txt'), 'mine\n')
    const { undo } = await openUndo()
    expect((await undo({ session: true })).files.map(file => file.action)).toEqual(['removed', 'conflict'])
    expect((await undo({ session: true })).files.map(file => file.action)).toEqual(['conflict'])
  })
})

test('one exchange comes back, by its id or by its run, and no other one with it', async () => {
  await write('first.txt', 'one\n')
  const before = stage.records.map(rec => rec.ev)
  await write('second.txt', 'two\n')
  const start = before.find(ev => ev.type === 'run.started')
  if (!start) throw new Error('no run')
  const second = { run_id: 'run_2', conversation_id: 'conv_2' }
  const later = stage.records.slice(before.length).map(({ ev }) => ({ ...ev, run_id: 'run_2' }))
  const { undo } = await openUndo([...before, { ...start, ...second }, ...later])
  await expect(undo({ turn: 'conv_3' })).rejects.toThrow('No file changes')
  expect(await undo({ turn: 'conv_2' })).toMatchObject({ files: [{ path: stage.path('second.txt') }] })
  expect([existsSync(stage.path('first.txt')), existsSync(stage.path('second.txt'))]).toEqual([true, false])
  expect((await undo({ turn: 'run_1' })).files).toHaveLength(1)
  expect(existsSync(stage.path('first.txt'))).toBe(false)
})
