/**
 * A project that wants to be run: repositories buried in it, settings of its own repository that name
 * programs, names of files that are options, links that lead out. Nothing of it runs, and nothing outside is
 * read, by a command that nobody was asked about.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../../src/tools/builtin/builtin-tools.ts'
import { commandEnvironment } from '../../src/tools/shell/environment.ts'
import { readingEnvironment } from '../../src/tools/shell/reading-environment.ts'
import { repositoryOf } from '../../src/tools/shell/repository-of.ts'
import { createStage, type Stage, textOf } from '../tools/stage.ts'

let stage: Stage
beforeEach(() => {
  stage = createStage({ tools: createBuiltinTools({}) })
  writeFileSync(stage.path('run.sh'), `#!/bin/sh\ntouch ${stage.path('pwned')}\n`, { mode: 0o755 })
  writeFileSync(stage.path('a.txt'), 'a\n')
})
afterEach(() => stage.close())

const git = (cwd: string, ...args: string[]): void => {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org']
  const { status, stderr } = spawnSync('git', [...who, ...args], { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}
function repository(dir: string): void {
  git(dir, 'init', '-q')
  git(dir, 'add', 'a.txt')
  git(dir, 'commit', '-qm', 'first')
}
/** What became of it: asked about, or what it said. */
async function outcome(command: string): Promise<string> {
  const [made] = await stage.run({ name: 'Bash', input: { command } })
  return made?.approval ? 'asked' : textOf(made)
}

describe('git', () => {
  test('runs nothing that the repository of the workspace names, and writes nothing', async () => {
    repository(stage.workspace)
    for (const [key, value] of [
      ['core.fsmonitor', stage.path('run.sh')],
      ['gpg.program', stage.path('run.sh')],
      ['log.showSignature', 'true'],
      ['format.pretty', 'format:%G? %s'],
    ] as const)
      git(stage.workspace, 'config', key, value)
    writeFileSync(stage.path('.git/hooks/post-index-change'), `#!/bin/sh\n${stage.path('run.sh')}\n`, {
      mode: 0o755,
    })
    for (const command of [
      'git status --short',
      'git log',
      'git diff',
      'git show',
      'git describe --always',
    ]) {
      utimesSync(stage.path('a.txt'), 1, 1)
      expect([command, await outcome(command)]).not.toEqual([command, 'asked'])
    }
    expect(textOf(await stage.one('Bash', { command: 'git log' }))).toContain('first')
    expect(existsSync(stage.path('pwned'))).toBe(false)
  })

  test('is asked about in a repository that lies buried in the workspace, of either kind', async () => {
    repository(stage.workspace)
    mkdirSync(stage.path('src', 'deep'), { recursive: true })
    git(stage.workspace, 'init', '-q', '--bare', 'bare')
    mkdirSync(stage.path('nested', 'below'), { recursive: true })
    git(stage.path('nested'), 'init', '-q')
    const asked: string[] = []
    for (const folder of ['src', 'src/deep', 'bare', 'bare/refs', 'nested', 'nested/below', '.git']) {
      expect(await outcome(`cd ${stage.path(folder)}`)).toBe('(no output)')
      if ((await outcome('git status --short')) === 'asked') asked.push(folder)
    }
    expect(asked).toEqual(['bare', 'bare/refs', 'nested', 'nested/below', '.git'])
  })

  test('is asked about where the repository names drivers, which no setting can switch off', () => {
    repository(stage.workspace)
    const here = (): string => repositoryOf(stage.workspace, stage.workspace)
    const config = stage.path('.git', 'config')
    for (const text of [
      '[diff "x"]\n\ttextconv = ./run.sh',
      '[diff.x]\n\ttextconv = ./run.sh',
      '[DIFF "x"] command = ./run.sh',
      '[diff]\n\texternal = ./run.sh',
      '[diff] external = ./run.sh',
      '[filter "x"]\n\tclean = ./run.sh',
      '[include]\n\tpath = ../more',
      '[includeIf "gitdir:."]\n\tpath = ../more',
      '[core]\n\tworktree = /',
      '[submodule "x"]\n\tignore = none',
      `[core]\n${' '.repeat(1_100_000)}`,
    ]) {
      writeFileSync(config, text)
      expect([text.slice(0, 40), here()]).toEqual([text.slice(0, 40), 'other'])
    }
    writeFileSync(
      config,
      `[core]\n\thooksPath = .husky\n\tworktree = ..\n[remote "origin"]\n\turl = x\n[diff]\n\talgorithm = histogram\n`,
    )
    expect(here()).toBe('own')
    writeFileSync(stage.path('.gitmodules'), '[submodule "x"]\n\tpath = x\n\tignore = none\n')
    expect(here()).toBe('other')
  })

  test('is not asked about in another work tree of a repository, nor below one, nor where there is none', () => {
    expect(repositoryOf(stage.workspace, stage.workspace)).toBe('none')
    repository(stage.workspace)
    git(stage.workspace, 'worktree', 'add', '-q', join(stage.dir, 'tree'))
    expect(repositoryOf(join(stage.dir, 'tree'), join(stage.dir, 'tree'))).toBe('own')
    mkdirSync(stage.path('packages'))
    expect(repositoryOf(stage.path('packages'), stage.path('packages'))).toBe('own')
    // The configuration of the repository counts for its work trees too.
    writeFileSync(stage.path('.git', 'config'), '[filter "x"]\n\tclean = ./run.sh\n')
    expect(repositoryOf(join(stage.dir, 'tree'), join(stage.dir, 'tree'))).toBe('other')
    expect(repositoryOf(stage.workspace, join(stage.dir, 'tree'))).toBe('other')
  })
})

describe('surroundings of commands that only read', () => {
  const shown = (env: Readonly<Record<string, string>>, key: string): string =>
    spawnSync('git', ['config', '--get', key], { env: { ...env }, encoding: 'utf8' }).stdout.trim()

  test('add to what git was told before, and win over it', () => {
    const before = { GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'me' }
    const more = { GIT_CONFIG_KEY_1: 'core.fsmonitor', GIT_CONFIG_VALUE_1: './run.sh' }
    const env = readingEnvironment(commandEnvironment({ PATH: process.env['PATH'], ...before, ...more }))
    expect(shown(env, 'user.name')).toBe('me')
    expect(shown(env, 'core.fsmonitor')).toBe('false')
    expect(shown(env, 'safe.bareRepository')).toBe('explicit')
  })

  test('pin the programs that a project could choose, and hold for no command that somebody allowed', async () => {
    const pins = { GOTOOLCHAIN: 'local', GIT_NO_LAZY_FETCH: '1', COREPACK_ENABLE_NETWORK: '0' }
    expect(readingEnvironment({})).toMatchObject(pins)
    stage.close()
    stage = createStage({ tools: createBuiltinTools({}), mode: 'bypassPermissions' })
    expect(await outcome('echo "[$GOTOOLCHAIN$GIT_ALLOW_PROTOCOL]"')).toBe('[]')
  })

  test.each(['yarn --version', 'pnpm -v', 'cargo --version', 'rustc --version'])(
    'do not reach far enough for a toolchain that the project chooses: %s',
    async command => {
      expect(await outcome(command)).toBe('asked')
    },
  )
})

describe('names of files', () => {
  test('that are options are not given to a program in place of a wildcard', async () => {
    for (const name of ['--pre=sh', '-exec', '--output=x', '-oX']) writeFileSync(stage.path(name), '')
    for (const command of ['rg a *', 'find . ?exec sh run.sh', 'git diff *', 'tree *', 'wc -l *', 'ls ?pre*'])
      expect([command, await outcome(command)]).toEqual([command, 'asked'])
    expect(await outcome('wc -l ./*.txt')).toBe('1 ./a.txt')
    expect(await outcome("find . -name 'a*'")).toBe('./a.txt')
  })

  test('that are links out of the workspace are not followed in passing', async () => {
    writeFileSync(join(stage.dir, 'secret.txt'), 'topsecret\n')
    mkdirSync(stage.path('one'))
    mkdirSync(stage.path('two'))
    writeFileSync(stage.path('one', 'b.txt'), 'b\n')
    expect(await outcome('grep -n b one/*')).toBe('1:b')
    expect(await outcome('diff one two')).toContain('Only in one')
    symlinkSync(join(stage.dir, 'secret.txt'), stage.path('one', 'link.txt'))
    symlinkSync(stage.dir, stage.path('two', 'dir'))
    for (const command of [
      "grep '' one/*",
      "grep -R '' .",
      "rg '' one/*",
      'rg -L secret',
      'wc one/*',
      'ls two/*',
      'ls two/*/secret.txt',
      'diff one two',
      'diff -r one two',
      'diff one/link.txt a.txt',
      'cat one/*',
    ])
      expect([command, await outcome(command)]).toEqual([command, 'asked'])
    expect(await outcome("grep -rn 'topsecret' .")).not.toContain('topsecret')
  })
})
