/**
 * The path that a user approved a change for, verified later. Between an approval and its call there may be
 * months, and other calls: a directory that was replaced meanwhile, or a new link, must not lead an approved
 * change elsewhere.
 */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ToolContext, ToolProblem } from '@toolwire/core'

export interface ApprovedPath {
  /** Canonical. */
  readonly path: string
  /** The deepest directory above it that exists, by what it is and not by its name. */
  readonly parent: { readonly path: string; readonly dev: number; readonly ino: number }
}

/** For previews: what the call would write to. Undefined when nothing above the path can be examined. */
export async function placeOf(path: string): Promise<ApprovedPath | undefined> {
  for (let dir = dirname(path); ; dir = dirname(dir)) {
    const found = await stat(dir).catch(() => undefined)
    if (found) return { path, parent: { path: dir, dev: found.dev, ino: found.ino } }
    if (dir === dirname(dir)) return undefined
  }
}

/** The reason that an approved change must not go to `path`; undefined if it may, or without an approved path. */
export async function placeProblem(context: ToolContext, path: string): Promise<ToolProblem | undefined> {
  const approved = (context.approved as { readonly place?: ApprovedPath } | undefined)?.place
  if (!approved) return undefined
  if (approved.path !== path)
    return moved(`The path leads to ${path} now; the approval was for ${approved.path}.`)
  const now = await stat(approved.parent.path).catch(() => undefined)
  if (now && now.dev === approved.parent.dev && now.ino === approved.parent.ino) return undefined
  return moved(`The directory ${approved.parent.path} is not the one that the approval was for any more.`)
}

const moved = (why: string): ToolProblem => ({
  code: 'stale',
  message: `${why} Nothing was written; send the call again, so that it can be approved again.`,
})
