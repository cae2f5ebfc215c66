/** The folder of a new session: what the request asks for, within what its key and the settings allow. */
import { resolve } from 'node:path'
import { AppError } from '@toolwire/core'
import { isInsideRoots } from '@toolwire/runtime'
import type { ServerContext } from './context.ts'

/** Throws `forbidden` for a folder outside of the allowed ones. */
export function chooseWorkspace(context: ServerContext, given?: string): string {
  const { workspace, workspaceRoots } = context.config
  const { workspace: own, unbounded, scopes } = context.principal()
  const folder = resolve(own ?? workspace, given ?? '.')
  // Where nothing is said, whoever runs the server may choose any folder; other keys stay in the server's own.
  const isOperator = unbounded || scopes.has('admin')
  const open = workspaceRoots.length > 0 || isOperator ? workspaceRoots : [workspace]
  const roots = own === null ? open : [own]
  // By where links lead: one inside of an allowed folder may lead out of it.
  if (given === undefined || roots.length === 0 || isInsideRoots(folder, roots)) return folder
  throw new AppError('forbidden', 'workspace: outside of the folders that are allowed here')
}
