/** The parts that all connections to the MCP server share. */
import type {
  CallToolRequest,
  CallToolResult,
  InputRequiredResult,
  RequestStateCodec,
  Server,
  ServerCapabilities,
  ServerContext,
} from '@modelcontextprotocol/server'
import type { CallHost } from '@toolwire/core'
import type { Offer } from './offer.ts'
import type { CallState } from './request-state.ts'

export interface RequestScope {
  readonly codec: RequestStateCodec<CallState>
  readonly ctx: ServerContext
}

/** Further parts of the protocol, beside calls of sessions. */
export interface ServerExtension {
  readonly capabilities: ServerCapabilities
  /** Names of its tools, which take no arguments. */
  readonly tools: readonly string[]
  readonly callTool: (
    scope: RequestScope,
    params: CallToolRequest['params'],
  ) => Promise<CallToolResult | InputRequiredResult>
  /** Sets handlers of a server before it is connected. */
  readonly prepare: (server: Server) => void
}

export interface ServeOptions {
  readonly host: CallHost
  readonly offer: Offer
  readonly version: string
  /** Milliseconds that a call waits for the inbox when the client cannot be asked; 30,000 when absent. */
  readonly inboxMs?: number | undefined
  /** Milliseconds after which a call becomes a task for a client that takes them; 500 when absent. */
  readonly taskAfterMs?: number | undefined
  readonly extension?: ServerExtension | undefined
}

export interface ServeContext extends ServeOptions {
  /** The process goes down: calls whose connections end continue. */
  isClosing: boolean
}
