export {
  CLAUDE_AGENT_SDK,
  type ClaudeAgentSdkOptions,
  createClaudeAgentSdkEngine,
} from './engines/claude-agent-sdk/create-engine.ts'
export type { Engine, Engines } from './engines/engine.ts'
export type { HooksConfig } from './hooks/hook-config.ts'
export type { Clock } from './loop/agent-port.ts'
export type { PermissionExplanation } from './permissions/explain-permission.ts'
export { createRuntime, type Runtime, type RuntimeOptions } from './runtime.ts'
export {
  AGENT_TYPES,
  type AgentOptions,
  type AgentType,
  type AgentTypes,
  type ArchitectOptions,
  type BuiltinOptions,
  createAgentTool,
  createArchitectTool,
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
  type ServedTools,
  stickerForm,
  stickerRequest,
  type ToolScope,
  type ToolSystem,
  type ToolSystemOptions,
  type ToolVoice,
  toStickerAnswer,
  type Undo,
  type UndoDeps,
  type UndoneFile,
  type UndoResult,
  type UndoScope,
  type WebFetchOptions,
  type WebSearchOptions,
} from './tools/index.ts'
