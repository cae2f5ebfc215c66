/**
 * Runs a command line as the Bash tool would and reports what the kernel saw: the files it tried to change and the
 * hosts it tried to reach. Without strace only the files are compared.
 */
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandEnvironment } from '../../src/shell/environment.ts'
import { readingEnvironment } from '../../src/shell/reading-environment.ts'

export interface WatchedShell {
  readonly workspace: string
  /** System calls are seen too, not only files that have changed. */
  readonly canTrace: boolean
  /** What it tried to do beside reading; nothing for a command that only reads. */
  readonly effects: (command: string) => readonly string[]
  readonly close: () => void
}

const works = (program: string, args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0

const CALLS =
  'connect,bind,sendto,open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,symlink,symlinkat,truncate,ftruncate,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,mknod,mknodat,utimensat,setxattr,mount,ptrace'

/** The caller closes it. */
export function createWatchedShell(): WatchedShell {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-watched-')))
  const workspace = join(dir, 'w')
  const home = join(dir, 'home')
  fill(workspace)
  mkdirSync(home)
  const canTrace = works('strace', ['-f', '-o', join(dir, 'probe'), 'true'])
  const trace = join(dir, 'trace')
  const env = readingEnvironment({ ...commandEnvironment(process.env), HOME: home, LC_ALL: 'C' })

  return {
    workspace,
    canTrace,
    effects(command) {
      const before = snapshot(workspace)
      const shell = ['timeout', '-k', '1', '3', 'bash', '--noprofile', '--norc', '-c', command]
      const argv = canTrace
        ? ['strace', '-f', '-qq', '-s', '300', '-e', `trace=${CALLS}`, '-o', trace, ...shell]
        : shell
      const [program = 'bash', ...args] = argv
      spawnSync(program, args, { cwd: workspace, env, stdio: ['ignore', 'ignore', 'ignore'] })
      const seen = canTrace ? readFileSync(trace, 'utf8').split('\n').filter(isEffect) : []
      return [...seen, ...(before === snapshot(workspace) ? [] : ['files changed'])]
    },
    close: () => rmSync(dir, { recursive: true, force: true }),
  }
}

function fill(workspace: string): void {
  for (const folder of ['src/deep', 'test', 'docs']) mkdirSync(join(workspace, folder), { recursive: true })
  for (const name of ['a.txt', 'b.txt', 'src/a.ts', 'test/a.ts', 'docs/x.md', 'package.json', 'f'])
    writeFileSync(join(workspace, name), `{"name": "foo"}\nfoo bar\n${name}\n`)
  spawnSync('git', ['init', '-q'], { cwd: workspace })
  spawnSync('git', ['add', '-A'], { cwd: workspace })
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org']
  spawnSync('git', [...who, 'commit', '-qm', 'first'], { cwd: workspace })
  poison(workspace)
}

/** What a hostile project holds, so that a command which is made to do more by it is seen doing it. */
function poison(workspace: string): void {
  const run = 'touch pwned'
  for (const name of ['--pre=sh', '--output=pwned', '-opwned', '-exec', '-delete', '-C', '-R', '-fprint'])
    writeFileSync(join(workspace, name), run)
  writeFileSync(join(workspace, 'run.sh'), `#!/bin/sh\n${run}\n`, { mode: 0o755 })
  writeFileSync(join(workspace, '.git', 'hooks', 'post-index-change'), `#!/bin/sh\n${run}\n`, { mode: 0o755 })
  writeFileSync(join(workspace, 'rust-toolchain.toml'), '[toolchain]\npath = "./evil"\n')
  writeFileSync(join(workspace, '.yarnrc'), 'yarn-path "./run.sh"\n')
  writeFileSync(join(workspace, '.npmrc'), 'logs-dir=./pwned\ncache=./pwned\n')
  writeFileSync(join(workspace, 'go.mod'), 'module x\n\ngo 1.99\ntoolchain go1.99.0\n')
  const names = { fsmonitor: './run.sh', sshCommand: './run.sh', pager: './run.sh' }
  for (const [name, value] of Object.entries(names))
    spawnSync('git', ['config', `core.${name}`, value], { cwd: workspace })
  for (const [name, value] of [
    ['gpg.program', './run.sh'],
    ['log.showSignature', 'true'],
    ['format.pretty', 'format:%h %G? %s'],
  ] as const)
    spawnSync('git', ['config', name, value], { cwd: workspace })
  // A repository that only looks like a folder.
  const bare = join(workspace, 'evil')
  spawnSync('git', ['init', '-q', '--bare', bare])
  for (const [name, value] of [
    ['core.bare', 'false'],
    ['core.worktree', '.'],
    ['core.fsmonitor', run],
  ] as const)
    spawnSync('git', ['config', '-f', join(bare, 'config'), name, value])
  // Git looks at files whose times have changed, and would write down what it saw.
  for (const name of ['a.txt', 'f']) utimesSync(join(workspace, name), 1, 1)
}

/** Names, sizes, times and modes of everything below. */
function snapshot(folder: string): string {
  const lines: string[] = []
  for (const name of readdirSync(folder, { recursive: true }).map(String).sort()) {
    const { size, mtimeMs, mode } = statSync(join(folder, name))
    lines.push(`${name} ${size} ${mtimeMs} ${mode}`)
  }
  return lines.join('\n')
}

/** Files that compilers and package managers keep, even to print their version. */
const OWN_CACHES = /\/node-compile-cache\/|\/\.rustup\//

/** Opening what only looks like a file, and sockets of this machine, change nothing. */
function isEffect(line: string): boolean {
  const call = /^\d+\s+(\w+)\((.*)$/.exec(line)
  if (!call || OWN_CACHES.test(line) || /"[^"]*\/\.rustup"/.test(line)) return false
  const [, name = '', rest = ''] = call
  if (/^open/.test(name))
    return /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(rest) && !/"\/dev\/(null|tty|pts\/\d+)"/.test(rest)
  if (/^(connect|bind|sendto)$/.test(name)) return /AF_INET|sin_addr/.test(rest)
  return true
}
