/**
 * Commands inside bubblewrap, where the machine has it and lets it work: the system read-only,
 * the workspace writable, the network off by choice. Where that cannot be, it is said and never
 * pretended.
 */
import { execFile } from 'node:child_process'
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

/** How the sandbox of commands stands, for settings pages. */
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

/** Whether a sandbox can be had: the program is on the search path, and works here. Tried once per program. */
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
  const [program = binary, ...args] = sandboxed(['true'], { binary, workspace: '/tmp', cwd: '/' }, {})
  return new Promise(resolve => {
    execFile(program, args, { timeout: PROBE_MS }, (error, _, stderr) => {
      resolve(error ? `${stderr.trim().split('\n')[0] || error.message}.` : undefined)
    })
  })
}

export interface SandboxPlace {
  readonly binary: string
  readonly workspace: string
  readonly cwd: string
  /** Files and directories that must be seen although what they are in is hidden. */
  readonly readable?: readonly string[] | undefined
  /** It goes on when the server stops. */
  readonly outlives?: boolean | undefined
}

/** What to start instead of `argv`. Pure. It sees no process but its own, and ends with the server unless told. */
export function sandboxed(
  argv: readonly string[],
  where: SandboxPlace,
  options: SandboxOptions,
): readonly string[] {
  const { hidden = [], writable = [], network = false } = options
  return [
    where.binary,
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...hidden.flatMap(dir => ['--tmpfs', dir]),
    ...[where.workspace, ...writable].flatMap(dir => ['--bind', dir, dir]),
    ...(where.readable ?? []).flatMap(path => ['--ro-bind-try', path, path]),
    '--unshare-pid',
    '--unshare-ipc',
    ...(network ? [] : ['--unshare-net']),
    ...(where.outlives ? [] : ['--die-with-parent']),
    ...['--chdir', where.cwd, '--'],
    ...argv,
  ]
}

const DENIALS: readonly (readonly [RegExp, string])[] = [
  [/read-only file system/i, 'only the workspace can be written'],
  [
    /network is unreachable|could not resolve host|temporary failure in name resolution|name or service not known|EAI_AGAIN|ENETUNREACH/i,
    'the network is off',
  ],
]

/** Which wall of the sandbox a failed command seems to have met; undefined when none. Judged by its output alone. */
export const denialIn = (output: string): string | undefined =>
  DENIALS.find(([pattern]) => pattern.test(output))?.[1]
