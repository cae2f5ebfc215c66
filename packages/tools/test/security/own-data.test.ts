/** The server's own folders, when they lie inside of a workspace, and notes of people who share a server. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import { isInsideRoots } from '../../src/files/resolve-path.ts'
import { createMemoryStore } from '../../src/memory/memory-store.ts'
import { createStage, type Stage, textOf } from '../stage.ts'

const folders: string[] = []
const stages: Stage[] = []
afterEach(() => {
  vi.unstubAllEnvs()
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

describe('a workspace around the data of the server', () => {
  function around(name: string): { readonly stage: Stage; readonly data: string } {
    const hidden: string[] = []
    const stage = createStage({ tools: createBuiltinTools({}), hidden })
    stages.push(stage)
    const data = join(stage.workspace, name)
    hidden.push(data)
    mkdirSync(join(data, 'mcp'), { recursive: true })
    writeFileSync(join(data, 'mcp', 'secrets.json'), 'topsecret')
    writeFileSync(join(stage.workspace, 'notes.txt'), 'topsecret too')
    return { stage, data }
  }

  test.each(['.toolwire', 'da[t]a'])('is searched and listed without it: %s', async name => {
    const { stage, data } = around(name)
    const calls = [
      { name: 'Grep', input: { pattern: 'topsecret' } },
      { name: 'Grep', input: { pattern: 'topsecret', glob: '**/*', output_mode: 'content' } },
      { name: 'Glob', input: { pattern: '**/*' } },
      { name: 'LS', input: { path: stage.workspace } },
    ]
    for (const made of await stage.run(...calls)) {
      expect(made.approval).toBeUndefined()
      expect(textOf(made)).toContain('notes.txt')
      expect(textOf(made)).not.toContain(data)
      expect(textOf(made)).not.toContain('secrets.json')
    }
  })

  test('can still be searched in it with permission', async () => {
    const { stage, data } = around('.toolwire')
    const [made] = await stage.run({ name: 'Grep', input: { pattern: 'topsecret', path: data } })
    if (!made) throw new Error('no call')
    stage.approve(made)
    await stage.settle()
    expect(textOf(stage.state().calls[0])).toContain('secrets.json')
  })

  test.each([
    'grep -r topsecret .',
    'grep -rn topsecret',
    'grep --recursive topsecret .',
    'rg --hidden topsecret',
    'rg -uu topsecret .',
    'cat .tool*/mcp/secrets.json',
    'cat .*/*/secrets.json',
    'head -1 < .tool*/mcp/secrets.json',
    'for f in .tool*/mcp/*; do cat "$f"; done',
    'find . -name secrets.json | xargs cat',
    'git grep --no-index topsecret',
    'diff -r . sub',
    'grep -r topsecret sub/self',
    'rg --hidden topsecret sub/self',
    'grep -r topsecret ~',
    'cd ~ && grep -r topsecret',
  ])('asks before a command reads it in passing: %s', async command => {
    const { stage } = around('.toolwire')
    mkdirSync(join(stage.workspace, 'sub'))
    symlinkSync(stage.workspace, join(stage.workspace, 'sub', 'self'))
    vi.stubEnv('HOME', stage.workspace)
    const [made] = await stage.run({ name: 'Bash', input: { command } })
    expect(made?.approval).toBeDefined()
  })

  test('asks before a wildcard reads it in passing', async () => {
    const { stage } = around('data')
    const [made] = await stage.run({ name: 'Bash', input: { command: 'grep -r topsecret ./*' } })
    expect(made?.approval).toBeDefined()
  })

  test.each(['grep topsecret notes.txt', 'rg topsecret', 'ls', 'find . -name notes.txt'])(
    'does not ask about what passes it by: %s',
    async command => {
      const { stage } = around('.toolwire')
      mkdirSync(join(stage.workspace, 'sub'))
      const [made] = await stage.run({ name: 'Bash', input: { command } })
      expect(made?.approval).toBeUndefined()
    },
  )
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
