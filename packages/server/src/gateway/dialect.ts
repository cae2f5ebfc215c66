/** What differs between the vendor wires once an answer is under way. */
import type { Frame, OutlineBlock, Warning, Wire } from '@toolwire/wire'

interface Problem {
  readonly code: string
  readonly message: string
  readonly http_status?: number | undefined
  readonly details?: unknown
}

export interface Dialect {
  /** The projection for this request. */
  readonly wire: (warnings: readonly Warning[]) => Wire
  /** What keeps an idle stream alive. */
  readonly heartbeat: string
  readonly fold: (frames: readonly Frame[]) => { readonly warnings?: readonly Warning[] }
  /** The answer as it will look when the client sends it back. */
  readonly visible: (blocks: readonly OutlineBlock[]) => string
  readonly toError: (
    problem: Problem,
    request_id: string,
  ) => { readonly status: number; readonly body: object }
}
