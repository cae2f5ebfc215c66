/** One request of `tools/call` on its way. */
import type {
  InputRequest,
  McpRequestContext,
  RequestStateCodec,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server'
import type { HostedOutcome, PendingItem } from '@toolwire/core'
import type { CallState } from './request-state.ts'
import type { ServeContext } from './serve-context.ts'

export interface CallScope {
  readonly serving: ServeContext
  readonly server: Server
  readonly codec: RequestStateCodec<CallState>
  readonly era: McpRequestContext['era']
  readonly ctx: ServerContext
}

export type Pause = Extract<HostedOutcome, { readonly type: 'paused' }>

/** A pending item, and the question to the client's user. */
export interface AskedItem {
  readonly item: PendingItem
  readonly request: InputRequest
}
