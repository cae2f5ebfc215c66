export { type AiSdkLanguageModel, createAiSdkModel } from './ai-sdk/bridge.ts'
export { type AnthropicOptions, createAnthropicModel } from './anthropic/model.ts'
export { type ProviderAnswer, probeProvider } from './ask-provider.ts'
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
export { createOpenAiModel, type OpenAiOptions } from './openai-model.ts'
export { createOpenAiResponsesModel, type OpenAiResponsesOptions } from './openai-responses/model.ts'
export { createRecorder, type Recorder, type RecordingOptions } from './record/recording-fetch.ts'
export { createReplayModel, replayModels } from './record/replay-model.ts'
export { loadScenario, parseScenario, type ScenarioOptions } from './scenario/load-scenario.ts'
export type { Scenario } from './scenario/schema.ts'
export { effortsOf } from './shared/effort.ts'
export { estimateTokens } from './shared/estimate-tokens.ts'
