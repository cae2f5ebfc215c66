/** The one function that starts git: no command through it runs a program that the repository names. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Git, openGit } from '../../src/git/run-git.ts'

let dir: string
const path = (...names: readonly string[]): string => join(dir, 'work', ...names)
const marker = (): string => join(dir, 'ran')

function plain(...args: readonly string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org']
  const { status, stdout, stderr } = spawnSync('git', [...who, ...args], { cwd: path(), encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout.trim()
}

/** Both branches change one file, and the latest commit claims to be signed. */
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'toolwire-run-git-'))
  mkdirSync(path())
  plain('init', '-q', '-b', 'main')
  const commit = (text: string): void => {
    writeFileSync(path('a.txt'), text)
    plain('add', '.')
    plain('commit', '-qm', text)
  }
  commit('one')
  plain('switch', '-qc', 'other')
  commit('two')
  plain('switch', '-q', 'main')
  commit('three')
  const signed = plain('cat-file', '-p', 'HEAD').replace(
    '\n\n',
    '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n aa\n\n',
  )
  writeFileSync(join(dir, 'commit'), `${signed}\n`)
  plain('update-ref', 'refs/heads/main', plain('hash-object', '-t', 'commit', '-w', join(dir, 'commit')))
  writeFileSync(path('a.txt'), 'four')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function poison(): void {
  const run = join(dir, 'run.sh')
  writeFileSync(run, `#!/bin/sh\ntouch ${marker()}\nexit 1\n`, { mode: 0o755 })
  writeFileSync(path('.git', 'info', 'attributes'), '* diff=x merge=x\n')
  const sections = [
    `[diff]\n\texternal = ${run}\n[diff "x"]\n\tcommand = ${run}\n\ttextconv = ${run}`,
    `[merge "x"]\n\tdriver = ${run}\n[gpg]\n\tprogram = ${run}\n[gpg "openpgp"]\n\tprogram = ${run}`,
    `[core]\n\tpager = ${run}\n\tsshCommand = ${run}\n\tgitProxy = ${run}\n[protocol "ext"]\n\tallow = always`,
    `[remote "x"]\n\turl = ${path()}\n\tuploadpack = ${run}\n[protocol]\n\tallow = always`,
  ]
  appendFileSync(path('.git', 'config'), `\n${sections.join('\n')}\n`)
}

const open = (): Promise<Git> =>
  openGit({
    context: {
      cwd: path(),
      roots: [path()],
      artifacts: join(dir, 'artifacts'),
      signal: new AbortController().signal,
    },
    timeout_ms: 20_000,
  } as never)

const COMMANDS: readonly (readonly string[])[] = [
  ['diff', '--ext-diff'],
  ['diff', '--textconv'],
  ['show', '--textconv', 'HEAD:a.txt'],
  ['log', '--show-signature'],
  ['verify-commit', 'HEAD'],
  ['merge-tree', 'main', 'other'],
  ['ls-remote', 'ext::sh -c touch% $MARKER'],
  ['ls-remote', 'ssh://example.invalid/a'],
  ['ls-remote', 'git://example.invalid/a'],
  ['ls-remote', 'x'],
]

test.each(COMMANDS.map(command => [command.join(' '), command] as const))(
  'git %s runs nothing that the repository names, which the same command without it would',
  async (_, command) => {
    poison()
    const args = command.map(word => word.replace('$MARKER', marker()))
    const git = await open()
    await git.run(...args).catch(() => '')
    expect(existsSync(marker())).toBe(false)
    spawnSync('git', ['-c', 'protocol.allow=always', ...args], { cwd: path(), timeout: 20_000 })
    expect(existsSync(marker())).toBe(true)
  },
)
