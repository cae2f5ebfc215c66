/** What the rest of the product uses of the tool system. */
export { AGENT_TYPES, type AgentType, type AgentTypes } from './agents/agent-type.ts'
export { type AgentOptions, createAgentTool } from './builtin/agent.ts'
export { type ArchitectOptions, createArchitectTool } from './builtin/architect.ts'
export { type BashOptions, createBashTool } from './builtin/bash.ts'
export { type BuiltinOptions, createBuiltinTools } from './builtin/builtin-tools.ts'
export { createClockTool } from './builtin/clock.ts'
export { createEditTool } from './builtin/edit.ts'
export { createGlobTool } from './builtin/glob.ts'
export { createGrepTool } from './builtin/grep.ts'
export { createLsTool } from './builtin/ls.ts'
export { createMemoryTools, type MemoryOptions } from './builtin/memory.ts'
export { createNotebookEditTool } from './builtin/notebook-edit.ts'
export { createNotebookReadTool } from './builtin/notebook-read.ts'
export { createReadTool } from './builtin/read.ts'
export {
  stickerForm,
  stickerRequest,
  toStickerAnswer,
} from './builtin/sticker-request.ts'
export { createTaskTools } from './builtin/tasks.ts'
export { createThinkTool } from './builtin/think.ts'
export { createTodoWriteTool } from './builtin/todo-write.ts'
export { createWebFetchTool, type WebFetchOptions } from './builtin/web-fetch.ts'
export { createWebSearchTools, type WebSearchOptions } from './builtin/web-search.ts'
export { createWriteTool } from './builtin/write.ts'
export { createToolSystem, type ServedTools, type ToolSystemOptions } from './create-tool-system.ts'
export { defineRawTool, defineTool } from './define-tool.ts'
export type { McpStatus } from './mcp/connection.ts'
export { createMcpTools, type McpOptions, type McpTools } from './mcp/create-mcp-tools.ts'
export { type McpServerConfig, parseMcpServers } from './mcp/server-config.ts'
export { createMemoryStore, type MemoryStore } from './memory/memory-store.ts'
export { type BackgroundTasks, createBackgroundTasks } from './shell/background-tasks.ts'
export { describeSandbox, findBubblewrap, type SandboxOptions } from './shell/sandbox.ts'
export { type SweepOptions, sweepArtifacts } from './sweep-artifacts.ts'
export type { ToolScope, ToolSystem, ToolVoice } from './tool-system.ts'
export { renderToolsDoc } from './tools-doc.ts'
export {
  createUndo,
  type Undo,
  type UndoDeps,
  type UndoneFile,
  type UndoResult,
  type UndoScope,
} from './undo/undo.ts'
