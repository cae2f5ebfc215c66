/** A permission request, with everything that its decision needs. */
import type { PermissionSubject } from '@toolwire/core'
import type { ShellSurroundings } from './shell/judge-command.ts'

export interface PermissionRequest extends Pick<ShellSurroundings, 'realPath' | 'entries'> {
  readonly tool: string
  /** The type of the asking agent, `main` for the session's own; absent if unknown. */
  readonly agent?: string | undefined
  readonly subject: PermissionSubject
  /** Of a tool whose reading is not seen: texts that may name files; undefined when there are too many to compare. */
  readonly texts?: readonly string[] | undefined
  readonly read_only: boolean
  /** True if the user is asked where no rule decides, as the tool declares; by default unless it is read-only. */
  readonly needs_permission?: boolean | undefined
  readonly cwd: string
  readonly workspace: string
  /** Directories beside the workspace that relative rules start from, such as the session's for an agent with its own. */
  readonly rule_bases?: readonly string[]
  /** After following links: inside the directories that need no question. */
  readonly isInside: (path: string) => boolean
  /** After following links: inside the directories that may be read without a question. */
  readonly isReadable?: (path: string) => boolean
  /** True if names that differ in case alone are one file there; never if absent. */
  readonly ignoresCase?: (path: string) => boolean
  /** True if hard links give the file further names; never if absent. */
  readonly hasOtherNames?: (path: string) => boolean
  /** Directories that nothing may read in passing. */
  readonly hidden?: readonly string[]
  /** Words of the configuration that name files it runs, such as hooks; relative ones start at the workspace. */
  readonly programs?: readonly string[]
}
