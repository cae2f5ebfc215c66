/**
 * Names that offer a session all tools of servers, present and future. A separate file, so that naming them does
 * not load the client.
 */
export const MCP_TOOL_NAMES: readonly string[] = [
  'mcp__*',
  'ToolSearch',
  'ListMcpResources',
  'ReadMcpResource',
  'ListMcpPrompts',
  'GetMcpPrompt',
]
