/** The model of a named provider, over the API that the provider speaks. */
import type { Model } from '@toolwire/core'
import { createAiSdkModel } from '../ai-sdk/bridge.ts'
import { createAnthropicModel } from '../anthropic/model.ts'
import { createOpenAiChatModel } from '../openai-chat/model.ts'
import { chooseApi } from '../openai-responses/choose-api.ts'
import { createOpenAiResponsesModel } from '../openai-responses/model.ts'
import { createSwitchingModel } from '../openai-responses/switch-api.ts'
import { type Circuit, withCircuit } from '../shared/circuit.ts'
import { createKeyedModel } from '../shared/key-pool.ts'
import { isOfficialHost } from '../shared/official-host.ts'
import type { PatienceOptions } from '../shared/retry-policy.ts'
import type { Price } from '../shared/usage.ts'
import { type DiscoveredFacts, knowModel } from './know-model.ts'
import { withLimits } from './model-limits.ts'
import { logNameOf, type ProviderApi, type ProviderEntry, settingsOf } from './provider-entry.ts'

export interface ModelTuning extends PatienceOptions {
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Tools that the provider runs itself, for providers with the Messages API. */
  readonly providerTools?: readonly Readonly<Record<string, unknown>>[] | undefined
  /** Facts that the provider reported of its models. */
  readonly discovered?: DiscoveredFacts | undefined
  /** The operator's price of models without one. */
  readonly assumedPrice?: Price | undefined
  /** The health of the provider, shared by its models. */
  readonly circuit?: Circuit | undefined
}

/** `model` is the id without the provider's name. */
export function createProviderModel(entry: ProviderEntry, model: string, tuning: ModelTuning): Model {
  const settings = settingsOf(entry.models, model) ?? {}
  const limited = withLimits(createPlainModel(entry, model, tuning), settings)
  return tuning.circuit ? withCircuit(limited, tuning.circuit) : limited
}

function createPlainModel(entry: ProviderEntry, model: string, tuning: ModelTuning): Model {
  const { makeModel } = entry
  if (entry.api === 'ai-sdk' && makeModel) {
    const provider = logNameOf(entry, 'ai-sdk')
    const { context, price } = knowModel(entry, model, tuning.discovered, tuning.assumedPrice)
    return createAiSdkModel(makeModel(model), { provider, id: model, context, price })
  }
  const api = settingsOf(entry.models, model)?.api ?? entry.api
  if (api === 'anthropic') return overKeys(entry, model, tuning, 'anthropic')
  const isOfficial = isOfficialHost(entry.baseUrl)
  const target = settingsOf(entry.models, model)?.upstream ?? model
  return createSwitchingModel({
    first: api === 'openai-chat' || api === 'openai-responses' ? api : chooseApi(target, isOfficial),
    chat: overKeys(entry, model, tuning, 'openai-chat'),
    responses: overKeys(entry, model, tuning, 'openai-responses'),
    isOfficial,
  })
}

const CREATORS = {
  anthropic: createAnthropicModel,
  'openai-chat': createOpenAiChatModel,
  'openai-responses': createOpenAiResponsesModel,
} as const

function overKeys(
  entry: ProviderEntry,
  model: string,
  { discovered, providerTools, assumedPrice, circuit: _, ...tuning }: ModelTuning,
  api: Exclude<ProviderApi, 'ai-sdk'>,
): Model {
  const { baseUrl, auth, headers, query, secrets, lookup, retries, silenceMs } = entry
  const common = {
    ...tuning,
    model,
    provider: logNameOf(entry, api),
    knowledge: knowModel(entry, model, discovered, assumedPrice),
    silence: { ...tuning.silence, ...(silenceMs === undefined ? {} : { bytesMs: silenceMs }) },
    ...{ auth, headers, query, secrets, lookup },
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(providerTools && api === 'anthropic' ? { providerTools } : {}),
  }
  return createKeyedModel(entry.keys, ({ key, mark, retry }) =>
    CREATORS[api]({
      ...common,
      ...(key === undefined ? {} : { apiKey: key }),
      ...(mark === undefined ? {} : { keyMark: mark }),
      retry: { ...tuning.retry, ...(retries === undefined ? {} : { maxRetries: retries }), ...retry },
    }),
  )
}
