/** One tool of a server as a tool of ours. */
import { createHash } from 'node:crypto'
import type { Tool } from '@toolwire/core'
import { defineRawTool } from '../define-tool.ts'
import type { Connection } from './connection.ts'
import type { ListedTool } from './list-tools.ts'
import { recoverMcpCall, runMcpCall } from './run-mcp-call.ts'
import { sourceOf } from './source.ts'

/** What the server says of the tool counts only when the server is trusted. */
export function createMcpTool(name: string, tool: ListedTool, connection: Connection): Tool {
  const server = connection.name
  const trusted = connection.config.trusted === true
  const readOnly = trusted && tool.read_only
  const repeatable = readOnly || (trusted && tool.idempotent)
  return defineRawTool({
    name,
    type: 'mcp',
    server,
    ...(tool.title === undefined ? {} : { title: tool.title }),
    description: tool.description,
    input_schema: tool.input_schema,
    definition: definitionOf(tool),
    isReadOnly: () => readOnly,
    // A warning is taken from anybody.
    ...(tool.destructive ? { destructive: true } : {}),
    isIdempotent: () => repeatable,
    access: async () => [{ key: `mcp:${server}`, mode: readOnly ? 'read' : 'write' }],
    call: (input, context) =>
      runMcpCall({ request: { method: 'tools/call', tool, input }, connection, context, repeatable }),
    recover: async (_, context) => recoverMcpCall({ connection, context, repeatable }),
    view: input => ({
      title: tool.title ?? tool.name,
      kind: 'mcp',
      body: { server, tool: tool.name, input },
    }),
    preview: async () => ({ server, tool: tool.name, source: sourceOf(connection.config), trusted }),
  })
}

/** The same as long as the server says the same of the tool. */
function definitionOf({ name, description, input_schema }: ListedTool): string {
  return createHash('sha256')
    .update(JSON.stringify([name, description, input_schema]))
    .digest('base64url')
    .slice(0, 22)
}
