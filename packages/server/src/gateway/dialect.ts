/** What differs between the vendor wires once an answer is under way. */
import type { Frame, Warning, Wire } from '@toolwire/wire'

export interface Problem {
  readonly code: string
  readonly message: string
  readonly http_status?: number | undefined
  readonly details?: unknown
}

export interface Dialect {
  /** The projection for this request. */
  readonly wire: (warnings: readonly Warning[]) => Wire
  readonly fold: (frames: readonly Frame[]) => object
  /** The answer as it will look when the client sends it back; frames are those of a whole answer. */
  readonly visible: (frames: readonly Frame[]) => string
  readonly toError: (
    problem: Problem,
    request_id: string,
  ) => { readonly status: number; readonly body: object }
}
