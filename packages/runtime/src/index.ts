export {
  CLAUDE_AGENT_SDK,
  type ClaudeAgentSdkOptions,
  createClaudeAgentSdkEngine,
} from './engines/claude-agent-sdk/create-engine.ts'
export type { Engine, Engines } from './engines/engine.ts'
export type { Clock } from './loop/agent-port.ts'
export { createRuntime, type Runtime, type RuntimeOptions } from './runtime.ts'
export {
  type BuiltinOptions,
  createBuiltinTools,
  createMcpTools,
  createMemoryStore,
  createToolSystem,
  createUndo,
  defineRawTool,
  defineTool,
  type McpServerConfig,
  type McpStatus,
  type McpTools,
  type MemoryOptions,
  type MemoryStore,
  parseMcpServers,
  renderToolsDoc,
  stickerForm,
  stickerRequest,
  type ToolScope,
  type ToolSystem,
  type ToolSystemOptions,
  type ToolVoice,
  toStickerAnswer,
  type WebFetchOptions,
  type WebSearchOptions,
} from './tools/index.ts'
