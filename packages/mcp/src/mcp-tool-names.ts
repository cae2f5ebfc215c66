/** What a session must name to be offered all tools that servers bring, now and later. Apart from the client, so that naming them loads none. */
export const MCP_TOOL_NAMES: readonly string[] = [
  'mcp__*',
  'ToolSearch',
  'ListMcpResources',
  'ReadMcpResource',
  'ListMcpPrompts',
  'GetMcpPrompt',
]
