/** Services of the handlers of routes. */
import type { Limiter } from '../access/limiter.ts'
import type { ServerContext } from '../context.ts'
import type { GatewayContext } from '../gateway/gateway-context.ts'
import type { Instruments } from '../observe/instruments.ts'
import type { OpenApiVersion } from '../openapi/openapi-version.ts'
import type { McpEndpoint } from '../ports/mcp-server-port.ts'
import type { WebFiles } from '../web/web-files.ts'

/** The description of the server's API. */
export interface Reference {
  document(version?: OpenApiVersion): Promise<object>
  /** The page, and the content security policy that it needs. */
  page(): Promise<{ readonly page: string; readonly policy: string }>
}

export interface RouteContext extends ServerContext {
  readonly gateway: GatewayContext
  /** Bounds tests of provider keys. */
  readonly providerTests: Limiter
  /** Bounds model calls for suggestions. */
  readonly suggestions: Limiter
  readonly reference: Reference
  readonly mcpServer?: McpEndpoint | undefined
  readonly instruments?: Instruments | undefined
  readonly web?: WebFiles | undefined
}
