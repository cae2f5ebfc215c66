import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tool } from '@toolwire/core'
import { afterEach, describe, expect, test } from 'vitest'
import { createMemoryTools } from '../src/builtin/memory.ts'
import { runMemoryCommand } from '../src/memory/memory-command.ts'
import { createMemoryStore } from '../src/memory/memory-store.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

const open: Stage[] = []
afterEach(() => {
  for (const stage of open.splice(0)) stage.close()
})

/** The folder is beside the workspace, and shared by stages that are given the same one. */
function stageWith(folder?: string, mode = 'bypassPermissions') {
  const tools: Tool[] = []
  const stage = createStage({ tools, mode })
  open.push(stage)
  const at = folder ?? join(stage.dir, 'memory')
  tools.push(...createMemoryTools({ folder: at, commands: true }))
  const store = createMemoryStore(at)
  const owner = { workspace: stage.workspace, session_id: 'ses_1' }
  return { stage, folder: at, store, owner }
}
const read = (s: Stage, file_path?: string) =>
  s.one('MemoryRead', file_path === undefined ? {} : { file_path })
const write = (s: Stage, file_path: string, content: string) => s.one('MemoryWrite', { file_path, content })

describe('notes', () => {
  test('are kept and read back, with the index and all files when no path is given', async () => {
    const { stage } = stageWith()
    expect(textOf(await read(stage))).toBe('There are no memory files yet.')
    expect(textOf(await write(stage, 'project/index.md', '- style: tabs\n'))).toBe('Saved')
    await write(stage, 'user/deep/name.md', 'Ada')
    expect(textOf(await read(stage, 'user/deep/name.md'))).toBe('Ada')
    expect(textOf(await read(stage))).toBe(
      '# project/index.md\n- style: tabs\n\nFiles:\n- user/deep/name.md (3 bytes)\n- project/index.md (14 bytes)',
    )
  })

  test('belong to the user, the project or the session', async () => {
    const first = stageWith()
    await write(first.stage, 'user/a.md', 'all')
    await write(first.stage, 'a.md', 'here')
    await write(first.stage, 'session/a.md', 'now')
    const elsewhere = stageWith(first.folder)
    expect(textOf(await read(elsewhere.stage, 'user/a.md'))).toBe('all')
    expect(textOf(await read(elsewhere.stage, 'project/a.md'))).toBe('Memory file does not exist')
    expect(textOf(await read(first.stage, 'project/a.md'))).toBe('here')
    const other = await first.store.list({ ...first.owner, session_id: 'ses_2' })
    expect(other.map(file => file.name)).toEqual(['user/a.md', 'project/a.md'])
  })

  test('of people who share a server are kept apart, in every scope', async () => {
    const { folder, owner } = stageWith()
    const shared = createMemoryStore(folder, async session => (session === 'ses_0' ? undefined : session))
    const of = (session_id: string) => ({ ...owner, session_id })
    for (const scope of ['user', 'project', 'session']) {
      const place = await shared.locate(`${scope}/a.md`, of('ses_1'))
      if (place.ok) expect(await shared.write(place.place, 'mine')).toBeUndefined()
    }
    expect((await shared.list(of('ses_1'))).map(file => file.name)).toEqual([
      'user/a.md',
      'project/a.md',
      'session/a.md',
    ])
    expect(await shared.list(of('ses_2'))).toEqual([])
    expect(await shared.list(of('ses_0'))).toEqual([])
  })

  test('are not written without being asked for in the default mode', async () => {
    const { stage, folder } = stageWith(undefined, 'default')
    const call = await write(stage, 'a.md', 'x')
    expect(call.outcome).toBeUndefined()
    expect(existsSync(folder)).toBe(false)
    stage.approve(call)
    await stage.settle()
    expect(textOf(stage.state().calls[0])).toBe('Saved')
  })

  test.each([
    '../x.md',
    'a/../../x.md',
    '/etc/passwd',
    'user/../x',
    '',
    'project/',
    '.hidden',
    'a/.versions/x',
    'a\u0000b',
    'a//b',
    'user/..',
    'C:\\x',
    '..\\x',
    `${'n'.repeat(300)}.md`,
  ])('stay inside their folder: %j', async path => {
    const { stage, folder } = stageWith()
    for (const call of [await read(stage, path), await write(stage, path, 'x')]) {
      expect(codeOf(call)).toBe('bad_path')
      expect(textOf(call)).toBe('Invalid memory file path')
    }
    expect(existsSync(folder)).toBe(false)
  })

  test('are not reached through links, neither of files nor of directories', async () => {
    const { stage, store, owner } = stageWith()
    await write(stage, 'project/real.md', 'x')
    const located = await store.locate('project/real.md', owner)
    if (!located.ok) throw new Error('not located')
    const { root } = located.place
    writeFileSync(stage.path('secret.txt'), 'secret')
    mkdirSync(`${root}-evil`)
    writeFileSync(join(`${root}-evil`, 'x.md'), 'secret')
    symlinkSync(stage.path('secret.txt'), join(root, 'link.md'))
    symlinkSync(`${root}-evil`, join(root, 'dir'))
    for (const path of ['project/link.md', 'project/dir/x.md']) {
      expect(textOf(await read(stage, path))).toBe('Invalid memory file path')
      expect(codeOf(await write(stage, path, 'overwritten'))).toBe('bad_path')
    }
    expect(readFileSync(stage.path('secret.txt'), 'utf8')).toBe('secret')
    expect((await store.list(owner)).map(file => file.name)).toEqual(['project/real.md'])
  })

  test('that changed since this session read them are not overwritten', async () => {
    const { stage, folder } = stageWith()
    await write(stage, 'user/a.md', 'one')
    const other = stageWith(folder)
    await read(other.stage, 'user/a.md')
    await write(stage, 'user/a.md', 'two')
    const late = await write(other.stage, 'user/a.md', 'three')
    expect(codeOf(late)).toBe('stale')
    expect(textOf(await read(other.stage, 'user/a.md'))).toBe('two')
    expect(textOf(await write(other.stage, 'user/a.md', 'three'))).toBe('Saved')
  })

  test('keep their last twenty versions, also when deleted', async () => {
    const { store, owner, stage } = stageWith()
    const located = await store.locate('user/a.md', owner)
    if (!located.ok) throw new Error('not located')
    for (let n = 0; n < 25; n++) expect(await store.write(located.place, `v${n}`)).toBeUndefined()
    const kept = await store.versions(located.place)
    expect(kept).toHaveLength(20)
    expect(kept[0]).toBe('v23')
    expect(await store.remove(located.place)).toBeUndefined()
    expect((await store.versions(located.place))[0]).toBe('v24')
    expect(textOf(await read(stage, 'user/a.md'))).toBe('Memory file does not exist')
  })

  test('are text of a bounded size', async () => {
    const { stage, store, owner } = stageWith()
    expect(codeOf(await write(stage, 'a.md', 'x'.repeat(256 * 1024 + 1)))).toBe('invalid_input')
    expect(codeOf(await write(stage, 'a.md', 'é'.repeat(200 * 1024)))).toBe('too_large')
    expect(codeOf(await write(stage, 'a.md', 'a\u0000b'))).toBe('binary_file')
    expect(await store.list(owner)).toEqual([])
    for (let n = 0; n < 41; n++) {
      const located = await store.locate(`user/${n}.md`, owner)
      if (!located.ok) throw new Error('not located')
      const problem = await store.write(located.place, 'y'.repeat(256 * 1024))
      expect(problem?.code).toBe(n < 40 ? undefined : 'too_large')
    }
  })

  test('a scope holds a thousand files and no more', async () => {
    const { stage, store, owner } = stageWith()
    await write(stage, 'user/first.md', 'x')
    const located = await store.locate('user/first.md', owner)
    if (!located.ok) throw new Error('not located')
    for (let n = 1; n < 1000; n++) writeFileSync(join(located.place.root, `${n}.md`), '')
    expect(codeOf(await write(stage, 'user/one-more.md', 'x'))).toBe('too_many')
    expect(textOf(await write(stage, 'user/first.md', 'again'))).toBe('Saved')
    expect(readdirSync(located.place.root)).not.toContain('one-more.md')
  })
})

describe('the memory commands', () => {
  const run = (s: Stage, command: string, more: object) => s.one('memory', { command, ...more })

  test('work on the same files as the other tools', async () => {
    const { stage } = stageWith()
    await run(stage, 'create', { path: '/memories/user/a.md', file_text: 'one\ntwo\n' })
    expect(textOf(await read(stage, 'user/a.md'))).toBe('one\ntwo\n')
    await run(stage, 'insert', { path: '/memories/user/a.md', insert_line: 1, insert_text: 'half' })
    await run(stage, 'str_replace', { path: '/memories/user/a.md', old_str: 'two', new_str: '$& three' })
    expect(textOf(await run(stage, 'view', { path: '/memories/user/a.md' }))).toBe(
      '     1\tone\n     2\thalf\n     3\t$& three\n     4\t',
    )
    expect(textOf(await run(stage, 'view', { path: '/memories/user/a.md', view_range: [2, 2] }))).toBe(
      '     2\thalf',
    )
  })

  test('list, move and delete, also whole folders', async () => {
    const { stage } = stageWith()
    for (const name of ['dir/a.md', 'dir/b.md', 'dir-notes.md', 'c.md']) await write(stage, name, 'x')
    expect(textOf(await run(stage, 'view', { path: '/memories/project/dir' }))).toBe(
      'Directory: /memories/project/dir/\n- /memories/project/dir/a.md (1 bytes)\n- /memories/project/dir/b.md (1 bytes)',
    )
    const taken = await run(stage, 'rename', { old_path: '/memories/c.md', new_path: '/memories/dir/a.md' })
    expect(codeOf(taken)).toBe('exists')
    await run(stage, 'rename', { old_path: '/memories/c.md', new_path: '/memories/user/c.md' })
    await run(stage, 'delete', { path: '/memories/dir' })
    expect(textOf(await run(stage, 'view', { path: '/memories' }))).toBe(
      'Directory: /memories/\n- /memories/user/c.md (1 bytes)\n- /memories/project/dir-notes.md (1 bytes)',
    )
  })

  test('do not overwrite what another has written meanwhile', async () => {
    const { store, owner } = stageWith()
    const located = await store.locate('a.md', owner)
    if (!located.ok) throw new Error('not located')
    await store.write(located.place, 'one')
    const slow: typeof store = {
      ...store,
      async read(place) {
        const found = await store.read(place)
        await store.write(place, 'two')
        return found
      },
    }
    const command = {
      command: 'str_replace',
      path: '/memories/a.md',
      old_str: 'one',
      new_str: 'three',
    } as const
    expect(await runMemoryCommand(slow, owner, command)).toMatchObject({ problem: { code: 'stale' } })
    expect(await store.read(located.place)).toMatchObject({ text: 'two' })
  })

  test.each([
    ['view', { path: '/etc/passwd' }, 'invalid_input'],
    ['view', { path: '/memories/../x' }, 'bad_path'],
    ['delete', { path: '/memories' }, 'bad_path'],
    ['delete', { path: '/memories/none.md' }, 'not_found'],
    ['create', { path: '/memories/a.md' }, 'precondition'],
    ['rename', { old_path: '/memories/a.md', new_path: '/memories/../b.md' }, 'bad_path'],
    ['str_replace', { path: '/memories/a.md', old_str: 'x', new_str: 'y' }, 'precondition'],
    ['str_replace', { path: '/memories/a.md', old_str: 'nope', new_str: 'y' }, 'precondition'],
    ['insert', { path: '/memories/a.md', insert_line: 9, insert_text: 'y' }, 'precondition'],
  ])('refuse what cannot be done: %s %j', async (command, more, code) => {
    const { stage } = stageWith()
    await write(stage, 'a.md', 'x x')
    expect(codeOf(await run(stage, command, more))).toBe(code)
    expect(textOf(await read(stage, 'a.md'))).toBe('x x')
  })
})
