/** The files of workspaces, as the server's routes need them. */
import type { SessionState } from '@toolwire/core'

export interface FileRequest {
  readonly session_id: string
  readonly session: SessionState
  /** Relative to the workspace, with `/`; '' is the workspace. */
  readonly path: string
  /** The directories that the caller may see. Anywhere when absent. */
  readonly within?: readonly string[]
}

export interface FilePort {
  /** One page of a folder. Throws `not_found` and `forbidden`. */
  readonly list: (request: FileRequest, after?: string) => Promise<Readonly<Record<string, unknown>>>
  /** The absolute path of a file that Read may open without asking. Throws `not_found` and `forbidden`. */
  readonly find: (request: FileRequest) => Promise<string>
}
