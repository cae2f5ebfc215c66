/** The parts that all connections to the MCP server share. */
import type { McpRequestContext, Server } from '@modelcontextprotocol/server'
import type { CallHost } from '@toolwire/core'
import type { Offer } from './offer.ts'

export interface ServeOptions {
  readonly host: CallHost
  readonly offer: Offer
  readonly version: string
  /** Milliseconds that a call waits for the inbox when the client cannot be asked; 30,000 when absent. */
  readonly inboxMs?: number | undefined
  /** Adds to each server before it is connected. */
  readonly extend?: ((server: Server, context: McpRequestContext) => void) | undefined
}

export interface ServeContext extends ServeOptions {
  /** The process goes down: calls whose connections end continue. */
  isClosing: boolean
}
