/**
 * Repositories that git reads otherwise than they look: pointers with blanks and line ends, settings that few
 * know, files that are in the index alone. Git is asked about wherever its own answer is not the expected one.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { ToolContext } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import { repositoryOf } from '../../src/git/repository-of.ts'
import { findSandbox, type SandboxOptions } from '../../src/shell/sandbox.ts'
import { createStage, type Stage, textOf } from '../stage.ts'

const { available } = await findSandbox()
let stage: Stage
beforeEach(() => {
  stage = createStage({ tools: createBuiltinTools({}) })
  writeFileSync(stage.path('a.txt'), 'a\n')
  init(stage.workspace)
  writeFileSync(stage.path('a.txt'), 'b\n')
})
afterEach(() => {
  vi.unstubAllEnvs()
  stage.close()
})

function git(cwd: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'protocol.file.allow=always']
  const { status, stdout, stderr } = spawnSync('git', [...who, ...args], { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout.trim()
}
function init(dir: string): void {
  git(dir, 'init', '-q')
  git(dir, 'add', '.')
  git(dir, 'commit', '-qm', 'first')
}
const marker = (): string => join(stage.dir, 'pwned')
/** A program that leaves a trace, and writes what it reads. */
function program(): string {
  const path = join(stage.dir, 'run.sh')
  writeFileSync(path, `#!/bin/sh\ntouch ${marker()}\ncat "$@"\n`, { mode: 0o755 })
  return path
}
/** Settings that make `git diff` and `git status` run it. */
const evil = (): string =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n[diff]\n\texternal = ${program()}\n[filter "x"]\n\tclean = ${program()}\n`

const READS = [
  'git status',
  'git diff',
  'git log -p',
  'git show',
  'git blame a.txt',
  'git ls-files',
  'git branch',
]
async function outcomes(...commands: readonly string[]): Promise<readonly string[]> {
  const all: string[] = []
  for (const command of commands.length > 0 ? commands : READS) {
    const [made] = await stage.run({ name: 'Bash', input: { command } })
    all.push(made?.approval ? 'asked' : textOf(made))
  }
  return all
}
async function expectAsked(): Promise<void> {
  expect(await outcomes()).toEqual(READS.map(() => 'asked'))
  expect(existsSync(marker())).toBe(false)
}
const look = (cwd: string, workspace = stage.workspace, sandbox?: SandboxOptions): Promise<string> => {
  const { signal } = new AbortController()
  const context = { cwd, roots: [workspace], artifacts: join(stage.dir, 'artifacts'), signal }
  return repositoryOf({ context: context as unknown as ToolContext, sandbox })
}

test('the repository of the workspace is read without a question', async () => {
  const said = await outcomes()
  expect(said.filter(one => one === 'asked')).toEqual([])
  expect(said[1]).toContain('+b')
})

describe('git is asked about', () => {
  test.each([
    ['a leading blank', 'gitdir:  real', ' real'],
    ['a trailing blank', 'gitdir: real \n', 'real '],
    ['a tab', 'gitdir: \treal\n', '\treal'],
    ['a line end before it', 'gitdir: \nreal', '\nreal'],
    ['a line end in it', 'gitdir: real\nmore\n', 'real\nmore'],
    ['a strange space', 'gitdir: real\u2028\n', 'real\u2028'],
  ])('where the pointer to the repository has %s', async (_, text, name) => {
    cpSync(stage.path('.git'), stage.path('real'), { recursive: true })
    renameSync(stage.path('.git'), stage.path(name))
    writeFileSync(stage.path('.git'), text)
    writeFileSync(join(stage.path(name), 'config'), evil())
    await expectAsked()
  })

  test.each([' common', 'common ', '\tcommon', 'common\u2028'])(
    'where the shared part of the repository is in %j',
    async name => {
      const [common, decoy] = [stage.path('.git', name), stage.path('.git', 'common')]
      cpSync(stage.path('.git'), join(stage.dir, 'copy'), { recursive: true })
      for (const dir of [common, decoy]) cpSync(join(stage.dir, 'copy'), dir, { recursive: true })
      writeFileSync(stage.path('.git', 'commondir'), `${name}\n`)
      writeFileSync(join(common, 'config'), evil())
      await expectAsked()
    },
  )

  test('where submodules that say what to ignore of them are in the index alone, or in the commit', async () => {
    const sub = stage.path('sub')
    mkdirSync(sub)
    writeFileSync(join(sub, 'f'), 'f')
    init(sub)
    git(stage.workspace, 'add', 'sub')
    writeFileSync(stage.path('.gitmodules'), '[submodule "sub"]\n\tpath = sub\n\turl = x\n\tignore = none\n')
    git(stage.workspace, 'add', '.gitmodules')
    git(sub, 'config', 'core.fsmonitor', program())
    await expectAsked()
    rmSync(stage.path('.gitmodules'))
    await expectAsked()
    git(stage.workspace, 'commit', '-qm', 'second', '--no-verify')
    git(stage.workspace, 'rm', '-q', '--cached', '.gitmodules')
    await expectAsked()
    git(stage.workspace, 'commit', '-qm', 'third', '--no-verify')
    expect(await outcomes('git status')).not.toContain('asked')
    expect(existsSync(marker())).toBe(false)
  })

  test.each([
    '[diff "x"]\n\ttextconv = ./run.sh',
    '[diff.x]\n\ttextconv = ./run.sh',
    '[DIFF "x"] command = ./run.sh',
    '[diff]\n\texternal = ./run.sh',
    '[diff] external = ./run.sh',
    '[diff]\n\torderFile = /etc/passwd',
    '[filter "x"]\n\tclean = ./run.sh',
    '[include]\n\tpath = ../more',
    '[includeIf "gitdir:."]\n\tpath = ../more',
    '[core]\n\tworktree = /',
    '[core]\n\tworktree = ../\u2028/../../..',
    '[core]\n\tworktree = "..\\n"',
    '[core]\n\tattributesFile = /etc/passwd',
    '[submodule "x"]\n\tignore = none',
    '[blame]\n\tignoreRevsFile = /etc/passwd',
    '[log]\n\tdiffMerges = remerge\n[merge "x"]\n\tdriver = ./run.sh',
    '[mailmap]\n\tfile = /etc/passwd',
    '[lfs "extension.x"]\n\tclean = ./run.sh',
    '[trace2]\n\tnormalTarget = /tmp/x',
    '[alias]\n\tx = !./run.sh',
    '[fetch]\n\tbundleURI = https://example.org',
    '[unknown]\n\tsetting = 1',
    '[core',
  ])('where the configuration has %j', async text => {
    const config = stage.path('.git', 'config')
    writeFileSync(config, `${readFileSync(config, 'utf8')}\n${text}\n`)
    expect(await look(stage.workspace)).toBe('other')
  })

  test('where the configuration is larger than any should be', async () => {
    const names = Array.from({ length: 60_000 }, (_, n) => `[remote "${n}"]\n\turl = x`)
    writeFileSync(stage.path('.git', 'config'), names.join('\n'))
    expect(await look(stage.workspace)).toBe('other')
  })

  test('where a file that names commits to ignore would be printed', async () => {
    writeFileSync(join(stage.dir, 'secret'), 'topsecret\n')
    git(stage.workspace, 'config', 'blame.ignoreRevsFile', join(stage.dir, 'secret'))
    expect((await outcomes('git blame a.txt')).join()).not.toContain('topsecret')
  })

  test('where the repository is that of another directory', async () => {
    const victim = join(stage.dir, 'victim')
    mkdirSync(victim)
    writeFileSync(join(victim, 'secret'), 'topsecret\n')
    init(victim)
    const [own, away] = [stage.path('.git'), join(stage.dir, 'away')]
    renameSync(own, away)
    const forms: readonly (() => void)[] = [
      () => writeFileSync(own, `gitdir: ${victim}/.git\n`),
      () => symlinkSync(join(victim, '.git'), own),
      () => {
        cpSync(away, own, { recursive: true })
        writeFileSync(join(own, 'commondir'), join(victim, '.git'))
      },
      () => {
        git(victim, 'config', 'extensions.worktreeConfig', 'true')
        cpSync(away, own, { recursive: true })
        writeFileSync(join(own, 'commondir'), join(victim, '.git'))
        writeFileSync(join(own, 'config.worktree'), `[core]\n\tworktree = ${stage.workspace}\n`)
      },
      () => {
        cpSync(away, own, { recursive: true })
        writeFileSync(join(own, 'objects', 'info', 'alternates'), join(victim, '.git', 'objects'))
      },
      () => {
        cpSync(away, own, { recursive: true })
        rmSync(join(own, 'objects'), { recursive: true })
        symlinkSync(join(victim, '.git', 'objects'), join(own, 'objects'))
      },
    ]
    const seen: string[] = []
    for (const form of forms) {
      rmSync(own, { recursive: true, force: true })
      form()
      seen.push(await look(stage.workspace))
    }
    expect(seen).toEqual(forms.map(() => 'other'))
  })

  test('where the settings of the user lie in the workspace', async () => {
    vi.stubEnv('HOME', stage.workspace)
    expect(await look(stage.workspace)).toBe('own')
    writeFileSync(stage.path('.gitconfig'), `[diff]\n\texternal = ${program()}\n`)
    await expectAsked()
    vi.stubEnv('HOME', stage.dir)
    writeFileSync(join(stage.dir, '.gitconfig'), '[filter "lfs"]\n\tclean = cat\n[include]\n\tpath = more\n')
    expect(await look(stage.workspace)).toBe('own')
    writeFileSync(join(stage.dir, '.gitconfig'), `[include]\n\tpath = ${stage.path('more')}\n`)
    writeFileSync(stage.path('more'), `[diff]\n\texternal = ${program()}\n`)
    await expectAsked()
  })

  test('where git does not answer', async () => {
    expect(await look(join(stage.dir, 'nowhere'))).toBe('other')
    vi.stubEnv('PATH', stage.workspace)
    expect(await look(stage.workspace)).toBe('other')
  })

  test('where an earlier call of the same message changes the repository', async () => {
    stage.close()
    const rules = { allow: ['Bash(sh change.sh)'] }
    stage = createStage({ tools: createBuiltinTools({}), permissions: { rules } })
    writeFileSync(stage.path('a.txt'), 'a\n')
    init(stage.workspace)
    writeFileSync(stage.path('a.txt'), 'b\n')
    writeFileSync(stage.path('config'), evil())
    writeFileSync(stage.path('change.sh'), 'cp config .git/config\n')
    const [, second] = await stage.run(
      { name: 'Bash', input: { command: 'sh change.sh' } },
      { name: 'Bash', input: { command: 'git diff' } },
    )
    expect([second?.approval !== undefined, existsSync(marker())]).toEqual([true, false])
  })
})

describe('git is not asked about', () => {
  test('with settings that reading does not follow', async () => {
    const config = stage.path('.git', 'config')
    writeFileSync(
      config,
      `${readFileSync(config, 'utf8')}
[core]
	hooksPath = .husky
	worktree = ..
	sshCommand = ./run.sh
[remote "origin"]
	url = https://example.org/x
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
[diff]
	algorithm = histogram
[user]
	name = me
[submodule "x"]
	url = y
	active = true
[http "https://example.org"]
	extraheader = x
`,
    )
    expect(await look(stage.workspace)).toBe('own')
    writeFileSync(stage.path('.gitmodules'), '[submodule "x"]\n\tpath = x\n\turl = y\n')
    expect(await look(stage.workspace)).toBe('own')
  })

  test('in another work tree, below a repository, in a submodule, nor without one', async () => {
    expect(await look(stage.dir, stage.dir)).toBe('none')
    const tree = join(stage.dir, 'tree')
    git(stage.workspace, 'worktree', 'add', '-q', tree)
    expect(await look(tree, tree)).toBe('own')
    mkdirSync(stage.path('packages'))
    expect(await look(stage.path('packages'), stage.path('packages'))).toBe('own')
    expect(await look(stage.path('packages'))).toBe('own')
    git(stage.workspace, 'submodule', '--quiet', 'add', tree, 'sub')
    expect(await look(stage.path('sub'), stage.path('sub'))).toBe('own')
    expect(await look(stage.path('sub'))).toBe('other')
    // The settings of the repository are those of its work trees too.
    git(stage.workspace, 'config', 'filter.x.clean', './run.sh')
    expect(await look(tree, tree)).toBe('other')
    expect(await look(stage.workspace, tree)).toBe('other')
  })

  test.runIf(available)('in a sandbox', async () => {
    expect(await look(stage.workspace, stage.workspace, {})).toBe('own')
    git(stage.workspace, 'config', 'filter.x.clean', './run.sh')
    expect(await look(stage.workspace, stage.workspace, {})).toBe('other')
  })
})
