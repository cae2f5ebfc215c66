/** One request of `tools/call` on its way. */
import type { InputRequest, McpRequestContext, Server } from '@modelcontextprotocol/server'
import type { HostedOutcome, PendingItem } from '@toolwire/core'
import type { RequestScope, ServeContext } from './serve-context.ts'

export interface CallScope extends RequestScope {
  readonly serving: ServeContext
  readonly server: Server
  readonly era: McpRequestContext['era']
}

export type Pause = Extract<HostedOutcome, { readonly type: 'paused' }>

/** A pending item, and the question to the client's user. */
export interface AskedItem {
  readonly item: PendingItem
  readonly request: InputRequest
}
