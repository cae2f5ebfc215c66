/**
 * Every setting that git knows, with a program as its value: commands that only read either run nothing of it, or are
 * asked about. Git itself lists the settings, so that a newer git brings its own.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import type { ServedTools } from '../../src/create-tool-system.ts'
import { gitEnvironment } from '../../src/git/git-environment.ts'
import { isHarmlessSetting } from '../../src/git/harmless-settings.ts'
import { createStage, type Stage, textOf } from '../stage.ts'

let stage: Stage
beforeEach(() => {
  stage = createStage({ tools: createBuiltinTools({}) })
  makeRepository()
})
afterEach(() => stage.close())

function git(...args: readonly string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'protocol.file.allow=always']
  const { status, stdout, stderr } = spawnSync('git', [...who, ...args], {
    cwd: stage.workspace,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return stdout.trim()
}

/** Changed files with drivers, a signed commit, a remote and a second branch: whatever settings act upon. */
function makeRepository(): void {
  writeFileSync(stage.path('a.txt'), 'a\n')
  writeFileSync(stage.path('.gitattributes'), '*.txt diff=x filter=x merge=x\n')
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-qm', 'first')
  git('branch', 'x')
  const signed = git('cat-file', '-p', 'HEAD').replace(
    '\n\n',
    '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n',
  )
  const { stdout } = spawnSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    cwd: stage.workspace,
    input: `${signed}\n`,
    encoding: 'utf8',
  })
  git('update-ref', 'refs/heads/main', stdout.trim())
  git('remote', 'add', 'origin', './nowhere')
  writeFileSync(stage.path('a.txt'), 'b\n')
}

const marker = (): string => join(stage.dir, 'pwned')
/** A program that leaves a trace, and writes what it reads. */
function program(): string {
  const path = join(stage.dir, 'run.sh')
  writeFileSync(path, `#!/bin/sh\ntouch ${marker()}\ncat "$@"\n`, { mode: 0o755 })
  return path
}

/** Settings as git lists them, with a name of the repository in place of `<name>` or `*`. */
function settings(): readonly string[] {
  const { stdout } = spawnSync('git', ['help', '--config-for-completion'], { encoding: 'utf8' })
  const listed = stdout.split('\n').filter(key => /^[a-z]/i.test(key))
  const named = listed.map(key => key.replaceAll(/<[^>]*>|\*/g, key.startsWith('remote') ? 'origin' : 'x'))
  return [...new Set([...named.filter(key => !key.endsWith('.') && key.includes('.')), ...KNOWN])]
}

/** Settings that run programs, some of which git does not list. */
const KNOWN: readonly string[] = [
  'alias.status',
  'alias.x',
  'blame.ignoreRevsFile',
  'browser.x.cmd',
  'core.alternateRefsCommand',
  'core.askPass',
  'core.editor',
  'core.fsmonitor',
  'core.gitProxy',
  'core.hooksPath',
  'core.pager',
  'core.sshCommand',
  'core.worktree',
  'credential.helper',
  'credential.https://example.org.helper',
  'diff.external',
  'diff.x.command',
  'diff.x.textconv',
  'difftool.x.cmd',
  'filter.x.clean',
  'filter.x.process',
  'filter.x.smudge',
  'gpg.program',
  'gpg.ssh.defaultKeyCommand',
  'gpg.ssh.program',
  'gpg.x509.program',
  'guitool.x.cmd',
  'imap.tunnel',
  'include.path',
  'includeIf.gitdir:/.path',
  'interactive.diffFilter',
  'man.x.cmd',
  'merge.x.driver',
  'mergetool.x.cmd',
  'pager.diff',
  'pager.log',
  'pager.status',
  'protocol.ext.allow',
  'receive.procReceiveRefs',
  'remote.origin.receivepack',
  'remote.origin.uploadpack',
  'remote.origin.vcs',
  'sendemail.smtpServer',
  'sequence.editor',
  'submodule.x.update',
  'tar.x.command',
  'trailer.x.command',
  'trailer.x.cmd',
  'uploadpack.packObjectsHook',
  'url.x.insteadOf',
  'web.browser',
]

/** As git lists it: section and variable in lower case. */
const listedAs = (key: string): string => {
  const [section = '', ...rest] = key.split('.')
  const variable = rest.pop() ?? ''
  return [section.toLowerCase(), ...rest, variable.toLowerCase()].join('.')
}

const READS: readonly string[] = [
  'git status',
  'git diff',
  'git log -p',
  'git show',
  'git blame a.txt',
  'git ls-files',
  'git branch -a',
]

/** Puts the setting into the configuration of the repository; false where git does not take it. */
function configure(key: string, value: string): boolean {
  const { status } = spawnSync('git', ['config', key, value], { cwd: stage.workspace })
  return status === 0
}

describe('a setting of the repository that names a program', () => {
  test('is not followed by the environment of reading commands, or makes them asked about', () => {
    const config = stage.path('.git', 'config')
    const before = readFileSync(config)
    const trusted = settings().filter(
      key => isHarmlessSetting(listedAs(key)) && !/^(advice|color)\./.test(key),
    )
    expect(trusted.length).toBeGreaterThan(50)
    const followed: string[] = []
    for (const key of trusted) {
      for (const value of [program(), `!${program()}`]) {
        writeFileSync(config, before)
        if (!configure(key, value)) continue
        spawnSync('sh', ['-c', READS.join('; ')], {
          cwd: stage.workspace,
          env: gitEnvironment({ PATH: process.env['PATH'] ?? '', HOME: stage.dir }),
        })
        if (existsSync(marker())) followed.push(`${key} = ${value}`)
        rmSync(marker(), { force: true })
      }
    }
    expect(followed).toEqual([])
  }, 240_000)

  test.each(KNOWN)('runs nothing, or is asked about: %s', async key => {
    if (!configure(key, program())) return
    const call = await stage.one('Bash', { command: READS.join(' && ') })
    expect(existsSync(marker())).toBe(false)
    const isAsked = call.approval !== undefined
    expect([key, isAsked || isHarmlessSetting(listedAs(key))]).toEqual([key, true])
    if (isAsked) expect(textOf(call)).not.toContain('+b')
  })

  test('is run by the trap of this test where nothing holds it back', () => {
    configure('diff.external', program())
    spawnSync('git', ['diff'], { cwd: stage.workspace })
    expect(existsSync(marker())).toBe(true)
  })
})

test('commands of git that write, fetch or run programs are asked about', async () => {
  const { explain } = stage.system() as ServedTools
  const commands = [
    'git add .',
    'git am x',
    'git apply x',
    'git archive HEAD',
    'git bisect run ./x',
    'git checkout x',
    'git clone . y',
    'git commit -m x',
    'git config core.pager ./x',
    'git difftool',
    'git fetch',
    'git filter-branch',
    'git gc',
    'git -c core.pager=./x log',
    'git -c alias.x=!./x x',
    'git --exec-path=. status',
    'git --git-dir=x status',
    'git grep -O./x a',
    'git hook run pre-commit',
    'git ls-remote',
    'git maintenance run',
    'git merge x',
    'git mergetool',
    'git pull',
    'git push',
    'git rebase -x ./x HEAD~1',
    'git send-email x',
    'git stash',
    'git submodule foreach ./x',
    'git submodule update --init',
    'git switch x',
    'git verify-commit HEAD',
    'git worktree add y',
    'git x',
  ]
  const decided = await Promise.all(
    commands.map(async command => {
      const request = { session_id: 'ses_1', session: stage.state(), tool: 'Bash', input: { command } }
      return [command, (await explain(request)).decision] as const
    }),
  )
  expect(decided.filter(([, decision]) => decision !== 'ask')).toEqual([])
})

test('a setting that arrives by an included file or by the settings of one work tree is asked about', async () => {
  mkdirSync(stage.path('more'))
  writeFileSync(stage.path('more', 'config'), `[diff]\n\texternal = ${program()}\n`)
  const config = stage.path('.git', 'config')
  const before = readFileSync(config, 'utf8')
  const forms: readonly (() => void)[] = [
    () => appendFileSync(config, '[include]\n\tpath = ../more/config\n'),
    () => appendFileSync(config, '[includeIf "onbranch:**"]\n\tpath = ../more/config\n'),
    () => appendFileSync(config, '[includeIf "hasconfig:remote.*.url:**"]\n\tpath = ../more/config\n'),
    () => {
      appendFileSync(config, '[extensions]\n\tworktreeConfig = true\n')
      writeFileSync(stage.path('.git', 'config.worktree'), `[diff]\n\texternal = ${program()}\n`)
    },
  ]
  for (const form of forms) {
    writeFileSync(config, before)
    form()
    const call = await stage.one('Bash', { command: 'git diff' })
    expect([call.approval !== undefined, existsSync(marker())]).toEqual([true, false])
  }
})
