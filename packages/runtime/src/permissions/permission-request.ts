/** What somebody wants to do, with everything a decision about it needs to know. */
import type { PermissionSubject } from '@toolwire/core'

export interface PermissionRequest {
  readonly tool: string
  /** The kind of agent that asks, `main` for the session's own; absent when nobody knows. */
  readonly agent?: string | undefined
  readonly subject: PermissionSubject
  readonly read_only: boolean
  readonly cwd: string
  readonly workspace: string
  /** After following links: inside the directories that need no question. */
  readonly isInside: (path: string) => boolean
  /** Directories that nothing may read in passing. */
  readonly hidden?: readonly string[]
}
