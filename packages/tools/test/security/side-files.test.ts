/** Files that are read without being asked for: whatever a project made of them, they do not leak, hang or fill the memory. */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import { createGrepTool } from '../../src/builtin/grep.ts'
import type { ServedTools } from '../../src/create-tool-system.ts'
import { createProjectRules } from '../../src/permissions/project-rules.ts'
import { readWhole, readWholeSync } from '../../src/safe-files/open-file.ts'
import { ripgrepPath } from '../../src/search/ripgrep.ts'
import { runRipgrep } from '../../src/search/run-ripgrep.ts'
import { createStage, type Stage, type StageOptions, textOf } from '../stage.ts'

let stage: Stage | undefined
const open = (options: Partial<StageOptions> = {}): Stage => {
  stage = createStage({ tools: createBuiltinTools(), ...options })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})

const SECRET = 'outside-secret'

/** What a hostile project can put in the place of a file. `helper` is a free name, `outside` a file outside of the workspace. */
type Make = (path: string, helper: string, outside: string) => void
const ENDLESS: readonly (readonly [string, Make])[] = [
  ['a named pipe', path => void execFileSync('mkfifo', [path])],
  [
    'a link to a named pipe',
    (path, helper) => {
      execFileSync('mkfifo', [helper])
      symlinkSync(helper, path)
    },
  ],
  ['a link to an endless device', path => symlinkSync('/dev/zero', path)],
]
const HOSTILE: readonly (readonly [string, Make])[] = [
  ...ENDLESS,
  ['a link to the environment of the server', path => symlinkSync('/proc/self/environ', path)],
  ['a link to a file outside', (path, _, outside) => symlinkSync(outside, path)],
  [
    'a link to a link to a file outside',
    (path, helper, outside) => {
      symlinkSync(outside, helper)
      symlinkSync(helper, path)
    },
  ],
  ['a directory', path => mkdirSync(path)],
]

function put(s: Stage, make: Make, ...parts: string[]): void {
  const outside = join(s.dir, 'outside.txt')
  writeFileSync(outside, OUTSIDE)
  make(s.path(...parts), s.path('helper'), outside)
}
const OUTSIDE = `${SECRET}\n[*]\ncharset = ${SECRET}\n* eol=crlf\n*.txt\n`

/** Everything that the session's log holds. */
const logOf = (s: Stage): string => JSON.stringify(s.records)

describe.each(['AGENTS.md', 'CLAUDE.md'])('%s', name => {
  test.each(HOSTILE)('that is %s is not attached, and the file is read without it', async (_, make) => {
    const s = open()
    mkdirSync(s.path('env'))
    writeFileSync(s.path('env', 'a.txt'), 'the file\n')
    put(s, make, 'env', name)
    expect(textOf(await s.one('Read', { file_path: s.path('env', 'a.txt') }))).toContain('the file')
    expect(logOf(s)).not.toContain('Instructions for this directory')
    expect(logOf(s)).not.toContain('PATH=')
    expect(logOf(s)).not.toContain(SECRET)
  })

  test('that is a link inside the workspace is attached', async () => {
    const s = open()
    mkdirSync(s.path('sub'))
    writeFileSync(s.path('shared.md'), 'Use tabs.')
    symlinkSync('../shared.md', s.path('sub', name))
    writeFileSync(s.path('sub', 'a.txt'), 'a')
    expect(textOf(await s.one('Read', { file_path: s.path('sub', 'a.txt') }))).toContain('Use tabs.')
  })

  test('that is a link into the data of the server is not attached', async () => {
    const hidden: string[] = []
    const s = open({ hidden })
    hidden.push(s.path('data'))
    mkdirSync(s.path('data'))
    mkdirSync(s.path('sub'))
    writeFileSync(s.path('data', 'keys.json'), SECRET)
    symlinkSync('../data/keys.json', s.path('sub', name))
    writeFileSync(s.path('sub', 'a.txt'), 'a')
    expect(textOf(await s.one('Read', { file_path: s.path('sub', 'a.txt') }))).not.toContain(SECRET)
  })

  test('of any size is attached up to its limit', async () => {
    const s = open()
    mkdirSync(s.path('sub'))
    writeFileSync(s.path('sub', name), `begin ${'中'.repeat(3_000_000)}`)
    writeFileSync(s.path('sub', 'a.txt'), 'a')
    const text = textOf(await s.one('Read', { file_path: s.path('sub', 'a.txt') }))
    expect(text).toContain('begin 中')
    expect(text.length).toBeLessThan(9_000)
    expect(text).not.toContain('\ufffd')
  })
})

describe.each(['.editorconfig', '.gitattributes', '.gitignore', '.ignore'])('%s', name => {
  test.each(HOSTILE)('that is %s counts as absent for every tool', async (_, make) => {
    const s = open({ mode: 'acceptEdits' })
    put(s, make, name)
    mkdirSync(s.path('sub'))
    writeFileSync(s.path('sub', 'a.txt'), 'needle\n')
    expect(textOf(await s.one('Read', { file_path: s.path('sub', 'a.txt') }))).toContain('needle')
    expect(textOf(await s.one('LS', { path: s.workspace }))).toContain('a.txt')
    expect(textOf(await s.one('Glob', { pattern: '**/*.txt' }))).toContain('a.txt')
    expect(textOf(await s.one('Grep', { pattern: 'needle' }))).toContain('Found 1 file')
    await s.one('Write', { file_path: s.path('sub', 'new.txt'), content: 'one\ntwo\n' })
    expect(readFileSync(s.path('sub', 'new.txt'), 'utf8')).toBe('one\ntwo\n')
    expect(logOf(s)).not.toContain(SECRET)
  })
})

describe('ripgrep', () => {
  test('is bounded in memory', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolwire-rg-'))
    const ripgrep = join(folder, 'rg')
    writeFileSync(ripgrep, '#!/bin/sh\necho "limit $(ulimit -v)" >&2\nexit 2\n', { mode: 0o755 })
    const s = open({ tools: [createGrepTool({ ripgrep })] })
    expect(textOf(await s.one('Grep', { pattern: 'x' }))).toContain('limit 524288')
    rmSync(folder, { recursive: true })
  })

  test('that meets an endless ignore file further down ends, and the search is done without it', async () => {
    const s = open()
    mkdirSync(s.path('sub'))
    symlinkSync('/dev/zero', s.path('sub', '.gitignore'))
    writeFileSync(s.path('sub', 'a.txt'), 'needle\n')
    for (const call of [
      await s.one('Grep', { pattern: 'needle' }),
      await s.one('Glob', { pattern: '**/*.txt' }),
    ]) {
      expect(textOf(call)).toContain('a.txt')
      expect(textOf(call)).toContain('Ignore files were not applied')
    }
  })

  test('does not apply an ignore file that is a link, and says which one', async () => {
    const s = open()
    symlinkSync('/dev/zero', s.path('.gitignore'))
    writeFileSync(s.path('a.txt'), 'needle\n')
    for (const call of [
      await s.one('Grep', { pattern: 'needle' }),
      await s.one('Glob', { pattern: '**/*.txt' }),
    ]) {
      expect(textOf(call)).toContain('a.txt')
      expect(textOf(call)).toContain(`because ${s.path('.gitignore')} is not a small regular file`)
    }
  })

  test('says nothing of what is in an ignore file', async () => {
    const s = open()
    writeFileSync(join(s.dir, 'outside.txt'), `${SECRET}[z-a]\n`)
    symlinkSync(join(s.dir, 'outside.txt'), s.path('.gitignore'))
    writeFileSync(s.path('a.txt'), 'a')
    const end = await runRipgrep(
      { binary: (await ripgrepPath()) ?? '' },
      {
        args: ['--files', '--hidden', '--no-require-git'],
        cwd: s.workspace,
        signal: new AbortController().signal,
        timeout_ms: 20_000,
        onData: () => true,
      },
    )
    expect(end.code).toBe(0)
    expect(end.stderr).not.toContain(SECRET)
  })
})

describe('.toolwire/settings.json', () => {
  /** The list of what was allowed here lies in a folder that goes with the stage. */
  const withRules = (): Stage => {
    const folder = { path: '' }
    const rules = () => createProjectRules(join(folder.path, 'data', 'trusted-rules.json'))
    const project = {
      of: (workspace: string) => rules().of(workspace),
      set: (...given: Parameters<ReturnType<typeof rules>['set']>) => rules().set(...given),
      revoke: (workspace: string, rule: string) => rules().revoke(workspace, rule),
    }
    const s = open({ permissions: { project } })
    folder.path = s.dir
    return s
  }
  const DENY = { rule: 'Bash(ls)', decision: 'deny', scope: 'project' } as const

  test.each(HOSTILE)(
    'that is %s holds nothing up, is not repeated, and nothing is written through it',
    async (_, make) => {
      const s = withRules()
      mkdirSync(s.path('.toolwire'))
      put(s, make, '.toolwire', 'settings.json')
      writeFileSync(s.path('a.txt'), 'the file\n')
      expect(textOf(await s.one('Read', { file_path: s.path('a.txt') }))).toContain('the file')
      const { set } = (s.system() as ServedTools).permissions
      const said = await set(s.state(), DENY).catch((error: Error) => error.message)
      expect(JSON.stringify(said)).not.toMatch(/PATH=|outside-secret/)
      expect(readFileSync(join(s.dir, 'outside.txt'), 'utf8')).toBe(OUTSIDE)
    },
  )

  test('is not written into a folder that a link of the project leads to', async () => {
    const s = withRules()
    mkdirSync(join(s.dir, 'elsewhere'))
    symlinkSync(join(s.dir, 'elsewhere'), s.path('.toolwire'))
    const { set } = (s.system() as ServedTools).permissions
    await expect(set(s.state(), DENY)).rejects.toThrow('leads out of the workspace')
    expect(readdirSync(join(s.dir, 'elsewhere'))).toEqual([])
  })
})

test.each(ENDLESS)('a .git that is %s is no repository, and holds nothing up', async (_, make) => {
  const s = open()
  put(s, make, '.git')
  const call = await s.one('Bash', { command: 'git status' })
  expect(call.outcome?.output_text).toContain('not a git repository')
})

describe('a file that is opened by its path', () => {
  test('is read up to its limit and no further', async () => {
    const s = open()
    const path = s.path('a.txt')
    writeFileSync(path, 'x'.repeat(10_000))
    for (const read of [readWhole, readWholeSync]) {
      const attempt = async (limit: number) => (await read(path, limit)).length
      expect(await attempt(10_000)).toBe(10_000)
      await expect(attempt(9_999)).rejects.toThrow('more than 9999 bytes')
    }
  })

  test.each(HOSTILE)('is an error where it is %s', async (_, make) => {
    const s = open()
    put(s, make, 'a')
    await expect(readWhole(s.path('a'))).rejects.toThrow()
    expect(() => readWholeSync(s.path('a'))).toThrow()
  })

  test('is read whole though it reports no size', async () => {
    expect((await readWhole(`/proc/${process.pid}/status`)).length).toBeGreaterThan(100)
  })
})
