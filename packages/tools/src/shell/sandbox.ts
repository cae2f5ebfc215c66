/**
 * Commands inside bubblewrap, where the machine has it and lets it work: the system read-only,
 * the workspace writable, the network off by choice. Where that cannot be, it is said and never
 * pretended.
 */
import { execFile } from 'node:child_process'
import { existsSync, lstatSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

export interface SandboxOptions {
  /** Commands may reach the network. */
  readonly network?: boolean | undefined
  /** Directories beside the workspace that commands may write. */
  readonly writable?: readonly string[] | undefined
  /** Directories that commands see empty, such as the server's own data. */
  readonly hidden?: readonly string[] | undefined
  /** Without a sandbox commands are refused; otherwise they run without one, and that is said. */
  readonly required?: boolean | undefined
  /** A call may ask to be run outside; otherwise it is run inside whatever it asks. */
  readonly escape?: boolean | undefined
}

export type SandboxState =
  | { readonly available: true; readonly binary: string; readonly reason: string }
  /** `reason` is one sentence for people. */
  | { readonly available: false; readonly reason: string }

/** The sandbox setting of commands, for settings pages. */
export interface SandboxSetting {
  /** Asked for in the settings. */
  readonly enabled: boolean
  readonly available: boolean
  readonly reason: string
  readonly network: boolean
  readonly required: boolean
}

const PROBE_MS = 5_000
const tried = new Map<string, Promise<string | undefined>>()

/** Checks if a sandbox is available: the program is on the search path and works here. Tried once per program. */
export async function findSandbox(path = process.env['PATH'] ?? ''): Promise<SandboxState> {
  const binary = await findBubblewrap(path)
  if (binary === undefined)
    return {
      available: false,
      reason:
        'bubblewrap (bwrap) is not installed: commands run without a sandbox, guarded by permissions alone.',
    }
  const problem = tried.get(binary) ?? probe(binary)
  tried.set(binary, problem)
  const said = await problem
  if (said === undefined)
    return { available: true, binary, reason: `Commands run in a bubblewrap sandbox (${binary}).` }
  return {
    available: false,
    reason: `bubblewrap (${binary}) does not work on this machine: ${said} Commands run without a sandbox, guarded by permissions alone.`,
  }
}

export async function describeSandbox(options: SandboxOptions | undefined): Promise<SandboxSetting> {
  const { available, reason } = await findSandbox()
  return {
    enabled: options !== undefined,
    available,
    reason:
      options === undefined && available
        ? 'A sandbox is available (bubblewrap) and switched off: commands are guarded by permissions alone.'
        : reason,
    network: options?.network ?? false,
    required: options?.required ?? false,
  }
}

async function findBubblewrap(path: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  for (const dir of path.split(delimiter)) {
    const file = join(dir || '.', 'bwrap')
    // Most directories do not have it, and a failed promise costs a hundred times as much.
    if (!existsSync(file)) continue
    const runs = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (runs) return file
  }
  return undefined
}

/** Installed is not enough: containers and kernels may forbid what it needs. */
function probe(binary: string): Promise<string | undefined> {
  const [program = binary, ...args] = sandboxed(
    ['true'],
    { binary, workspace: '/tmp', cwd: '/', ...sandboxMachine() },
    {},
  )
  return new Promise(resolve => {
    execFile(program, args, { timeout: PROBE_MS }, (error, _, stderr) => {
      resolve(error ? `${stderr.trim().split('\n')[0] || error.message}.` : undefined)
    })
  })
}

export interface SandboxPlace extends SandboxMachine {
  readonly binary: string
  readonly workspace: string
  readonly cwd: string
  /** Files and directories that must be seen although what they are in is hidden. */
  readonly readable?: readonly string[] | undefined
  /** It continues when the server stops. */
  readonly outlives?: boolean | undefined
}

export interface SandboxMachine {
  /** The server runs as root, and so do its commands. */
  readonly root?: boolean | undefined
  /** Directories where services of the machine keep their sockets. */
  readonly sockets?: readonly string[] | undefined
}

/** The machine's facts for the sandbox. */
export const sandboxMachine = (): SandboxMachine => ({
  root: process.getuid?.() === 0,
  sockets: ['/run', '/var/run'].filter(isDirectory),
})

/** False for a link: its target is hidden where it is. */
function isDirectory(path: string): boolean {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    return false
  }
}

/**
 * The command to start instead of `argv`. Pure. It sees no process but its own, and ends with the server unless it
 * outlives it. The paths are the targets of links. Mounts are made in order and a later one covers an earlier one,
 * so they go from the outside in: a hidden directory inside the workspace is hidden, and a workspace inside a
 * hidden directory is visible.
 */
export function sandboxed(
  argv: readonly string[],
  where: SandboxPlace,
  options: SandboxOptions,
): readonly string[] {
  const { hidden = [], writable = [], network = false } = options
  const mounts = [
    ...hidden.map(dir => ({ dir, words: ['--tmpfs', dir] })),
    ...(where.readable ?? []).map(dir => ({ dir, words: ['--ro-bind-try', dir, dir] })),
    ...[where.workspace, ...writable].map(dir => ({ dir, words: ['--bind', dir, dir] })),
  ].sort((one, other) => depthOf(one.dir) - depthOf(other.dir))
  return [
    where.binary,
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    // A root user could change kernel settings and run something outside.
    ...['--ro-bind-try', '/proc/sys', '/proc/sys'],
    // A read-only socket still accepts connections, and its server may do anything.
    ...(where.sockets ?? []).flatMap(dir => ['--tmpfs', dir]),
    ...NEEDED_OF_RUN.flatMap(path => ['--ro-bind-try', path, path]),
    ...mounts.flatMap(mount => mount.words),
    // Writes there would be lost silently.
    ...hidden.flatMap(dir => ['--remount-ro', dir]),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--new-session'],
    ...(network ? [] : ['--unshare-net']),
    // With the rights of root the walls could be taken down; what is left is for files of other users.
    ...['--cap-drop', 'ALL', ...(where.root ? FILE_RIGHTS.flatMap(right => ['--cap-add', right]) : [])],
    ...(where.outlives ? [] : ['--die-with-parent']),
    ...['--chdir', where.cwd, '--'],
    ...argv,
  ]
}

const depthOf = (path: string): number => path.split('/').filter(Boolean).length
const FILE_RIGHTS = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER']
/** Files for name resolution, and programs of systems that keep them there. */
const NEEDED_OF_RUN = [
  '/run/systemd/resolve/resolv.conf',
  '/run/systemd/resolve/stub-resolv.conf',
  '/run/resolvconf/resolv.conf',
  '/run/NetworkManager/resolv.conf',
  '/run/current-system',
]

const DENIALS: readonly (readonly [RegExp, string])[] = [
  [/read-only file system/i, 'only the workspace can be written'],
  [
    /network is unreachable|could not resolve host|temporary failure in name resolution|name or service not known|EAI_AGAIN|ENETUNREACH/i,
    'the network is off',
  ],
]

/** The sandbox wall that a failed command seems to have met; undefined without one. Judged by its output alone. */
export const denialIn = (output: string): string | undefined =>
  DENIALS.find(([pattern]) => pattern.test(output))?.[1]
