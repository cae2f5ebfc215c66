/**
 * Commands inside bubblewrap, where the machine has it: the system read-only, the workspace
 * writable, the network off by choice. Where it is missing that is said, never pretended.
 */
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

export interface SandboxOptions {
  /** Commands may reach the network. */
  readonly network?: boolean
  /** Directories beside the workspace that commands may write. */
  readonly writable?: readonly string[]
}

export interface SandboxState {
  readonly available: boolean
  /** One sentence for the settings page. */
  readonly text: string
}

/** The binary, found on the given search path; undefined where there is none. */
export async function findBubblewrap(path = process.env['PATH'] ?? ''): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  for (const dir of path.split(delimiter)) {
    const file = join(dir || '.', 'bwrap')
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file
  }
  return undefined
}

export const describeSandbox = (binary: string | undefined): SandboxState =>
  binary === undefined
    ? {
        available: false,
        text: 'bubblewrap (bwrap) is not installed: commands run without a sandbox, guarded by permissions alone.',
      }
    : { available: true, text: `Commands can run in a bubblewrap sandbox (${binary}).` }

/** What to start instead of `argv`. Pure. The sandbox dies with the server and sees no process but its own. */
export function sandboxed(
  argv: readonly string[],
  where: { readonly binary: string; readonly workspace: string; readonly cwd: string },
  options: SandboxOptions,
): readonly string[] {
  const writable = [where.workspace, ...(options.writable ?? [])]
  return [
    where.binary,
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
    ...writable.flatMap(dir => ['--bind', dir, dir]),
    '--unshare-pid',
    ...(options.network ? [] : ['--unshare-net']),
    '--die-with-parent',
    '--chdir',
    where.cwd,
    '--',
    ...argv,
  ]
}
