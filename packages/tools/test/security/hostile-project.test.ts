/**
 * A hostile project: nested repositories, settings of its own repository that name programs, file names that are
 * options, links that lead out. None of it runs, and nothing outside is read, by a command without a question.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import { commandEnvironment } from '../../src/shell/environment.ts'
import { readingEnvironment } from '../../src/shell/reading-environment.ts'
import { createStage, type Stage, textOf } from '../stage.ts'

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
})

describe('surroundings of commands that only read', () => {
  const shown = (env: Readonly<Record<string, string>>, key: string): string =>
    spawnSync('git', ['config', '--get', key], { env: { ...env }, encoding: 'utf8' }).stdout.trim()

  test('add to git’s existing configuration, and take precedence', () => {
    const before = { GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'me' }
    const more = { GIT_CONFIG_KEY_1: 'core.fsmonitor', GIT_CONFIG_VALUE_1: './run.sh' }
    const env = readingEnvironment(commandEnvironment({ PATH: process.env['PATH'], ...before, ...more }))
    expect(shown(env, 'user.name')).toBe('me')
    expect(shown(env, 'core.fsmonitor')).toBe('false')
    expect(shown(env, 'safe.bareRepository')).toBe('explicit')
  })

  test('pin the programs that a project could choose, and do not apply to a command that the user allowed', async () => {
    const pins = { GOTOOLCHAIN: 'local', GIT_NO_LAZY_FETCH: '1', COREPACK_ENABLE_NETWORK: '0' }
    expect(readingEnvironment({})).toMatchObject(pins)
    stage.close()
    stage = createStage({ tools: createBuiltinTools({}), mode: 'bypassPermissions' })
    expect(await outcome('echo "[$GOTOOLCHAIN$GIT_ALLOW_PROTOCOL]"')).toBe('[]')
  })

  test('find no program in a directory of the workspace, nor in one that is named from there', async () => {
    mkdirSync(stage.path('bin'))
    for (const name of ['ls', 'tsc'])
      writeFileSync(stage.path('bin', name), `#!/bin/sh\ntouch ${stage.path('pwned')}\n`, { mode: 0o755 })
    vi.stubEnv('PATH', `${stage.path('bin')}:bin::${process.env['PATH']}`)
    expect(await outcome('ls a.txt')).toBe('a.txt')
    await outcome('tsc --version')
    vi.unstubAllEnvs()
    expect(existsSync(stage.path('pwned'))).toBe(false)
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

describe('words that the shell changes before a program sees them', () => {
  let secret = ''
  beforeEach(() => {
    secret = join(stage.dir, 'secret')
    writeFileSync(secret, 'topsecret\n')
    mkdirSync(stage.path('deep', 'dir'), { recursive: true })
  })
  afterEach(() => vi.unstubAllEnvs())
  const isAsked = async (...commands: readonly string[]): Promise<void> => {
    for (const command of commands) expect([command, await outcome(command)]).toEqual([command, 'asked'])
  }

  test('are asked about where a ~ behind = or : leads through a link', async () => {
    vi.stubEnv('HOME', stage.dir)
    symlinkSync('/', stage.path('x='))
    symlinkSync('/', stage.path('x=a:'))
    await isAsked('head x=~/secret', 'cat x=a:~/secret', "cat x=''~/secret x=~/secret", 'wc x=~/secret')
    expect(await outcome('cat a.txt~ HEAD~1')).toMatch(/a\.txt~.*HEAD~1/s)
  })

  test('are asked about where a quoted ~ is the name of a link', async () => {
    vi.stubEnv('HOME', stage.workspace)
    symlinkSync(stage.dir, stage.path('~'))
    await isAsked("cat '~/secret'", 'cat "~"/secret', 'cat ~"/secret"', "cat ''~/secret")
    await isAsked('ls ~/?', 'wc ~/*')
    expect(await outcome('cat ~/a.txt')).toBe('a')
  })

  test('are asked about where .. follows the name of a link', async () => {
    symlinkSync(stage.workspace, stage.path('link'))
    await isAsked('cat link/../secret', 'cat link//../secret', 'cat link/.//../secret', 'cd link//.. && ls')
  })

  test('are asked about where a cd goes into a link, or home, and .. leads out of what is there', async () => {
    vi.stubEnv('HOME', stage.workspace)
    symlinkSync(stage.workspace, stage.path('deep', 'dir', 'link'))
    expect(await outcome('cd deep/dir')).toBe('(no output)')
    await isAsked(
      'cd link && cat ../secret',
      'cd link; cd deep/dir/link && cat ../secret',
      'cd ~ && cat ../secret',
    )
    expect(await outcome('cd link && cat a.txt')).toBe('a')
  })

  test('are asked about where git would read through a link', async () => {
    writeFileSync(stage.path('deep', 'secret'), 'old\n')
    git(stage.workspace, 'init', '-q')
    git(stage.workspace, 'add', '.')
    git(stage.workspace, 'commit', '-qm', 'first')
    expect(await outcome('git blame deep/secret')).toContain('old')
    rmSync(stage.path('deep'), { recursive: true })
    symlinkSync(stage.dir, stage.path('deep'))
    await isAsked('git blame deep/secret', 'git blame -s deep/secret', 'git diff deep/secret')
  })
})
