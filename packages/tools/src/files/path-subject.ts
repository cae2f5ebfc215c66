/** A path as permission rules see it: where it leads, and how the call wrote it. */
import type { PermissionSubject, ToolContext } from '@toolwire/core'
import { inspectPath } from './inspect-path.ts'
import { resolvePath } from './resolve-path.ts'

type PathSubject = Extract<PermissionSubject, { type: 'path' }>

export async function readSubject(given: string, context: ToolContext): Promise<PathSubject> {
  return await toSubject(given, context, false)
}

export async function writeSubject(given: string, context: ToolContext): Promise<PathSubject> {
  return await toSubject(given, context, true)
}

async function toSubject(given: string, context: ToolContext, write: boolean): Promise<PathSubject> {
  const { path } = await inspectPath(given, context)
  const named = resolvePath(given, context.cwd)
  return { type: 'path', path, write, ...(named === path ? {} : { named }) }
}
