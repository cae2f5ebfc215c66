/** One tool of a server as a tool of ours. */
import { createHash } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { isLarge, type Tool, type ToolView, TRY_MODEL } from '@toolwire/core'
import { defineRawTool } from '@toolwire/tools'
import type { Connection } from './connection.ts'
import type { ListedTool } from './list-tools.ts'
import { recoverMcpCall, runMcpCall } from './run-mcp-call.ts'
import { sourceOf } from './source.ts'

/** The server's annotations apply only if the server is trusted. */
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
    // Page-only tools are called by users and pages, both through this model.
    ...(tool.ui?.for_model === false ? { isEnabled: ({ model }) => model === TRY_MODEL } : {}),
    isReadOnly: () => readOnly,
    // A warning is accepted from any server.
    ...(tool.destructive ? { destructive: true } : {}),
    isIdempotent: () => repeatable,
    access: async () => [{ key: `mcp:${server}`, mode: readOnly ? 'read' : 'write' }],
    call: (input, context) =>
      runMcpCall({
        request: { method: 'tools/call', tool, input },
        connection,
        context,
        repeatable,
        ...(hasPages(connection) ? { picture: result => withResult(tool, connection, result) } : {}),
      }),
    recover: async (_, context) => recoverMcpCall({ connection, context, repeatable }),
    // The address of a page must not be lost among large arguments, which are recorded beside it.
    view: input =>
      toView(tool, { server, ...(tool.ui?.uri === undefined ? { input } : { ui: tool.ui.uri }) }),
    preview: async () => ({ server, tool: tool.name, source: sourceOf(connection.config), trusted }),
  })
}

const toView = (tool: ListedTool, body: Readonly<Record<string, unknown>>): ToolView => ({
  title: tool.title ?? tool.name,
  kind: 'mcp',
  body: { tool: tool.name, ...body },
})

const hasPages = (connection: Connection): boolean =>
  connection.tools().some(one => one.ui?.uri !== undefined)

/** Pages are given results as the server gave them, with what is for pages alone; a large one is put together from its text. */
function withResult(tool: ListedTool, { name }: Connection, result: CallToolResult): ToolView {
  const { content, structuredContent, isError, _meta } = result
  const kept = { content, structuredContent, isError, _meta }
  const ui = tool.ui?.uri === undefined ? {} : { ui: tool.ui.uri }
  return toView(tool, { server: name, ...ui, ...(isLarge(kept) ? {} : { result: kept }) })
}

/** The same as long as the server says the same of the tool. */
function definitionOf({ name, description, input_schema }: ListedTool): string {
  return createHash('sha256')
    .update(JSON.stringify([name, description, input_schema]))
    .digest('base64url')
    .slice(0, 22)
}
