/** The folder of a new session: what the request asks for, within what its key and the settings allow. */
import { resolve } from 'node:path'
import { AppError } from '@toolwire/core'
import type { ServerContext } from '../context.ts'

/** The directories in which the request's key may work; none means any. */
function workspaceRootsOf({
  settings,
  principal,
}: Pick<ServerContext, 'settings' | 'principal'>): readonly string[] {
  const { workspace, workspaceRoots } = settings
  const { workspace: own, unbounded, scopes } = principal()
  if (own !== null) return [own]
  // Without configured roots the operator may choose any folder; other keys stay in the server's own.
  const isOperator = unbounded || scopes.has('admin')
  return workspaceRoots.length > 0 || isOperator ? workspaceRoots : [workspace]
}

/** Limits an answer to the folders of the caller: it shows nothing of the disk beyond them. */
export function withinRoots(context: ServerContext): { readonly within?: readonly string[] } {
  const roots = workspaceRootsOf(context)
  return roots.length === 0 ? {} : { within: roots }
}

/** Throws `forbidden` for a folder outside of the allowed ones. */
export function chooseWorkspace(context: ServerContext, given?: string): string {
  const folder = resolve(context.principal().workspace ?? context.settings.workspace, given ?? '.')
  const roots = workspaceRootsOf(context)
  // By where links lead: one inside of an allowed folder may lead out of it.
  if (given === undefined || roots.length === 0 || context.ports.isInsideRoots(folder, roots)) return folder
  throw new AppError('forbidden', 'workspace: outside of the folders that are allowed here')
}
