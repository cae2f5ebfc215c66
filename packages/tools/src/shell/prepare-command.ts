/** Prepares a command's start: its environment, the user's definitions, the sandbox around it. */
import { existsSync } from 'node:fs'
import type { ToolContext, ToolProblem } from '@toolwire/core'
import { canonicalPath } from '../files/resolve-path.ts'
import { commandEnvironment } from './environment.ts'
import { findSandbox, type SandboxOptions, sandboxed, sandboxMachine } from './sandbox.ts'
import { readUserShell, storeUserShell, type UserShell } from './user-shell.ts'

export interface CommandSettings {
  /** Environment variables that look like secrets and may be seen by commands all the same. */
  readonly env_allow?: readonly string[]
  /** Runs commands in a sandbox where the machine has one. */
  readonly sandbox?: SandboxOptions | undefined
  /** Commands find the variables, functions and aliases of the user's interactive shell. */
  readonly user_shell?: boolean
}

interface CommandWish {
  readonly outside_sandbox: boolean
  /** It continues when the server stops. */
  readonly outlives: boolean
}

export interface PreparedCommand {
  readonly env: Readonly<Record<string, string>>
  readonly start?: string | undefined
  readonly wrap?: ((argv: readonly string[]) => readonly string[]) | undefined
}

export type PrepareCommand = (
  wish: CommandWish,
  context: Pick<ToolContext, 'cwd' | 'roots' | 'artifacts'>,
) => Promise<PreparedCommand | { readonly problem: ToolProblem }>

/** The user's shell is asked once, when the first command comes. */
export function createPrepareCommand(settings: CommandSettings): PrepareCommand {
  let asked: Promise<UserShell> | undefined
  const shell = (): Promise<UserShell> => {
    asked ??= settings.user_shell
      ? readUserShell({ env: process.env, allow: settings.env_allow })
      : Promise.resolve({ env: {}, script: '' })
    return asked
  }
  return async (wish, context) => {
    const user = await shell()
    const env = settings.user_shell ? user.env : commandEnvironment(process.env, settings.env_allow)
    const start = await storeUserShell(user, context.artifacts).catch(() => undefined)
    const { sandbox } = settings
    if (!sandbox || (wish.outside_sandbox && sandbox.escape)) return { env, start }
    const found = await findSandbox()
    if (!found.available) return sandbox.required ? { problem: unavailable(found.reason) } : { env, start }
    const [workspace = context.cwd, ...others] = context.roots.map(dir => canonicalPath(dir))
    const artifacts = canonicalPath(context.artifacts)
    const writable = [
      ...(sandbox.writable ?? []).map(dir => canonicalPath(dir)),
      ...others.filter(dir => dir !== artifacts),
    ]
    // A missing directory needs no hiding and has no mount point.
    const hidden = (sandbox.hidden ?? []).map(dir => canonicalPath(dir)).filter(dir => existsSync(dir))
    const where = {
      binary: found.binary,
      workspace,
      cwd: canonicalPath(context.cwd),
      readable: [artifacts],
      outlives: wish.outlives,
      ...sandboxMachine(),
    }
    return { env, start, wrap: argv => sandboxed(argv, where, { ...sandbox, writable, hidden }) }
  }
}

const unavailable = (reason: string): ToolProblem => ({
  code: 'sandbox_unavailable',
  message: `The settings allow commands only in a sandbox. ${reason} Nothing was executed.`,
})
