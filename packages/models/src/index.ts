export { type AiSdkLanguageModel, createAiSdkModel } from './ai-sdk/bridge.ts'
export { type AnthropicOptions, createAnthropicModel } from './anthropic/model.ts'
export { type ProviderAnswer, probeProvider } from './ask-provider.ts'
export { CAPABILITIES_DATE, type Capability, listedModels } from './capabilities.ts'
export { costOfModel } from './cost-of-model.ts'
export { createModelFinder, type ModelFinderOptions, splitModelId } from './finder.ts'
export { createOpenAiChatModel, type OpenAiChatOptions } from './openai-chat/model.ts'
export { createOpenAiModel, type OpenAiOptions } from './openai-model.ts'
export { createOpenAiResponsesModel, type OpenAiResponsesOptions } from './openai-responses/model.ts'
export { type Aliases, createModelChooser } from './providers/choose-model.ts'
export {
  type BuiltInProvider,
  environmentProviders,
  type ModelEnvironment,
  missingKey,
} from './providers/environment-providers.ts'
export { type DiscoveredFacts, knowModel, type PriceSource } from './providers/know-model.ts'
export { PRICE_CATALOG } from './providers/price-catalog.ts'
export {
  type ModelSettings,
  PROVIDER_APIS,
  type ProviderApi,
  type ProviderEntry,
} from './providers/provider-entry.ts'
export { isReplayId, REPLAY_PREFIX } from './replay-id.ts'
export { effortsOf } from './shared/effort.ts'
export { PROVIDER_AUTHS, type ProviderAuth } from './shared/endpoint.ts'
export { estimateTokens } from './shared/estimate-tokens.ts'
export { toFailure } from './shared/failure.ts'
export { createKeyPool, type KeyPool, type KeyState } from './shared/key-pool.ts'
export type { Price } from './shared/usage.ts'
