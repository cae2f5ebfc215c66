/** The protocol of the MCP server, which the routes know as requests and responses. */
import type { CallHost } from '@toolwire/core'

export interface McpEndpoint {
  /** `body` is the parsed body; undefined without one. */
  handle(request: Request, body: unknown): Promise<Response>
  /** Ends connections; calls in progress continue. Idempotent. */
  close(): Promise<void>
}

export interface McpServerPort {
  /** Called once. Every method of the host acts for the caller of the current request. */
  readonly open: (host: CallHost) => McpEndpoint
}
