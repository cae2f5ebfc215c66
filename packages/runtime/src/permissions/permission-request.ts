/** What somebody wants to do, with everything a decision about it needs to know. */
import type { PermissionSubject } from '@toolwire/core'
import type { ShellSurroundings } from './shell/judge-command.ts'

export interface PermissionRequest extends Pick<ShellSurroundings, 'entries' | 'repositoryOf'> {
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
