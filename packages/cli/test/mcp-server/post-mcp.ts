/** One request of the newer era over bare HTTP, for what the official client does not send. */
import type { McpServerUnderTest } from './serve-mcp.ts'

const VERSION = '2026-07-28'

export interface BareRequest {
  readonly method: string
  /** `name` or `taskId` goes into a header as well. */
  readonly params: Readonly<Record<string, unknown>> & { readonly name?: string; readonly taskId?: string }
  readonly capabilities: object
}

export async function postMcp(
  { url }: Pick<McpServerUnderTest, 'url'>,
  key: string,
  { method, params, capabilities }: BareRequest,
) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      'mcp-name': params.name ?? params.taskId ?? '',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': VERSION,
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': capabilities,
        },
      },
    }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: fields are compared one by one
  return (await response.json()) as any
}
