/** What the gateway's parts tell each other about one answer. */
import type { ToolSpec } from '@toolwire/core'
import type { Follow, Warning } from '@toolwire/wire'
import type { ServerContext } from '../context.ts'
import type { SessionIndex } from './session-index.ts'

export interface GatewayContext extends ServerContext {
  readonly index: SessionIndex
}

/** How the model is to answer, settled against the server's configuration. */
export interface Setup {
  /** The wire that the request came through. */
  readonly protocol: string
  readonly model: string
  readonly client_tools: readonly ToolSpec[]
  readonly server_tools: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

/** An answer that is under way. */
export interface StartedAnswer {
  readonly session: string
  readonly follow: Follow
  /** Records up to here are none of its business. */
  readonly from: number
  /** The chain up to and including the request. */
  readonly chain: string
  /** Fingerprint of what a waiting run cannot change any more. */
  readonly setup: string
  readonly user: string | undefined
  /** Nothing runs on the server: when the client leaves, nobody wants the answer. */
  readonly pure: boolean
  readonly warnings: readonly Warning[]
}
