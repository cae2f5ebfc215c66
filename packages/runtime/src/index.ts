export {
  CLAUDE_AGENT_SDK,
  type ClaudeAgentSdkOptions,
  createClaudeAgentSdkEngine,
} from './engines/claude-agent-sdk/create-engine.ts'
export { loadAgentSdk } from './engines/claude-agent-sdk/sdk.ts'
export type { Engine, Engines } from './engines/engine.ts'
export type { Clock } from './loop/agent-port.ts'
export { MEDIA_BUDGET, type MediaBudget } from './loop/bound-media.ts'
export { systemOf } from './prompt/system-text.ts'
export { createRuntime, type Runtime, type RuntimeOptions } from './runtime.ts'
