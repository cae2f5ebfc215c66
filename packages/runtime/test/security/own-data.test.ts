/** The server's own folders, when they lie inside of a workspace, and notes of people who share a server. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createBuiltinTools } from '../../src/tools/builtin/builtin-tools.ts'
import { isInsideRoots } from '../../src/tools/files/resolve-path.ts'
import { createMemoryStore } from '../../src/tools/memory/memory-store.ts'
import { createStage, type Stage } from '../tools/stage.ts'

const folders: string[] = []
const stages: Stage[] = []
afterEach(() => {
  for (const stage of stages.splice(0)) stage.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-own-')))
  folders.push(made)
  return made
}

test('a hidden directory is outside of the workspace around it, and a root inside of it is still one', () => {
  const work = folder()
  const data = join(work, '.toolwire')
  const artifacts = join(data, 'artifacts', 'ses_1')
  mkdirSync(artifacts, { recursive: true })
  symlinkSync(data, join(work, 'shortcut'))
  const inside = (path: string): boolean => isInsideRoots(path, [work, artifacts], [data])
  expect(inside(join(work, 'a.txt'))).toBe(true)
  expect(inside(join(artifacts, 'call.log'))).toBe(true)
  for (const path of [
    '.toolwire',
    '.toolwire/mcp/secrets.json',
    '.toolwire/artifacts/ses_2/c.log',
    'shortcut/x',
  ])
    expect([path, inside(join(work, path))]).toEqual([path, false])
})

test('the data of the server is asked about before it is read or written, by every tool and by commands', async () => {
  const hidden: string[] = []
  const stage = createStage({ tools: createBuiltinTools({}), hidden, mode: 'acceptEdits' })
  stages.push(stage)
  const data = join(stage.workspace, '.toolwire')
  hidden.push(data)
  mkdirSync(join(data, 'mcp'), { recursive: true })
  writeFileSync(join(data, 'mcp', 'secrets.json'), '{"token":"t"}')
  const calls = [
    { name: 'Read', input: { file_path: join(data, 'mcp', 'secrets.json') } },
    { name: 'Write', input: { file_path: join(data, 'new.txt'), content: 'x' } },
    { name: 'Grep', input: { pattern: 'token', path: data } },
    { name: 'Glob', input: { pattern: '**/*', path: data } },
    { name: 'LS', input: { path: data } },
    { name: 'Bash', input: { command: 'cat .toolwire/mcp/secrets.json' } },
    { name: 'Bash', input: { command: `cat ${data}/mcp/secrets.json` } },
    { name: 'Bash', input: { command: 'cd .toolwire && cat mcp/secrets.json' } },
  ]
  for (const call of calls) {
    const [made] = await stage.run(call)
    expect([call, made?.approval !== undefined]).toEqual([call, true])
  }
})

test('tenants of one server see no notes of each other, in any scope and in one workspace', async () => {
  const notes = createMemoryStore(folder(), async session => session.split('-')[0])
  const owner = (session_id: string) => ({ workspace: '/w', session_id })
  const write = async (path: string, session: string): Promise<void> => {
    const located = await notes.locate(path, owner(session))
    if (!located.ok) throw new Error(located.problem.message)
    expect(await notes.write(located.place, session)).toBeUndefined()
  }
  for (const path of ['user/a.md', 'project/a.md', 'session/a.md']) await write(path, 'alpha-1')
  expect((await notes.list(owner('alpha-1'))).length).toBe(3)
  expect((await notes.list(owner('alpha-2'))).map(file => file.name)).toEqual(['user/a.md', 'project/a.md'])
  expect(await notes.list(owner('beta-1'))).toEqual([])
})
