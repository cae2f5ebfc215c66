export { CLAUDE_AGENT_SDK, type ClaudeAgentSdkOptions, createClaudeAgentSdkEngine } from './create-engine.ts'
export { loadAgentSdk } from './sdk.ts'
