export { type AiSdkLanguageModel, createAiSdkModel } from './ai-sdk/bridge.ts'
export { type AnthropicOptions, createAnthropicModel } from './anthropic/model.ts'
export { askProvider, type ProviderAnswer } from './ask-provider.ts'
export { CAPABILITIES_DATE, type Capability, listedModels } from './capabilities.ts'
export { costOfModel } from './cost-of-model.ts'
export { createDemoModel, type DemoModelOptions } from './demo/demo-model.ts'
export type { Fault, FaultName } from './fake-upstream/faults.ts'
export {
  type FakeRequest,
  type FakeUpstream,
  type FakeUpstreamOptions,
  startFakeUpstream,
} from './fake-upstream/start.ts'
export { createModelFinder, type ModelEnvironment, type ModelFinderOptions, type Provider } from './finder.ts'
export { createOpenAiChatModel, type OpenAiChatOptions } from './openai-chat/model.ts'
export { createRecorder, type Recorder, type RecordingOptions } from './record/recording-fetch.ts'
export { createReplayModel } from './record/replay-model.ts'
export { loadScenario, parseScenario, type ScenarioOptions } from './scenario/load-scenario.ts'
export type { Scenario } from './scenario/schema.ts'
export { estimateTokens } from './shared/estimate-tokens.ts'
