export type { McpStatus } from './connection.ts'
export { createMcpTools, type McpTools } from './create-mcp-tools.ts'
export { MCP_TOOL_NAMES } from './mcp-tool-names.ts'
export { type McpServerConfig, parseMcpServers } from './server-config.ts'
