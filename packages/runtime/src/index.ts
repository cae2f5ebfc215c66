export type { Clock } from './loop/agent-port.ts'
export { createRuntime, type Runtime, type RuntimeOptions } from './runtime.ts'
export {
  type BuiltinOptions,
  createBuiltinTools,
  createToolSystem,
  defineRawTool,
  defineTool,
  renderToolsDoc,
  type ToolScope,
  type ToolSystem,
  type ToolSystemOptions,
  type ToolVoice,
} from './tools/index.ts'
