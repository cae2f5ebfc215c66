/** One named provider: an address with its keys, its API and what the operator knows of its models. */
import type { LookupFunction } from 'node:net'
import type { AiSdkLanguageModel } from '../ai-sdk/bridge.ts'
import type { ProviderAuth } from '../shared/endpoint.ts'
import type { KeyPool } from '../shared/key-pool.ts'
import type { Price } from '../shared/usage.ts'

export const PROVIDER_APIS = ['anthropic', 'openai-chat', 'openai-responses', 'ai-sdk'] as const
export type ProviderApi = (typeof PROVIDER_APIS)[number]

/** Settings of one model, which take precedence over the capability table. */
export interface ModelSettings {
  /** The model behind a name that says nothing, such as a deployment: its row of the table applies. */
  readonly upstream?: string | undefined
  readonly context?: number | undefined
  readonly max_output?: number | undefined
  /** False when it takes no tools, or no images. */
  readonly tools?: boolean | undefined
  readonly images?: boolean | undefined
  /** False when it takes no effort. */
  readonly effort?: boolean | undefined
  readonly strict?: boolean | undefined
  /** The service that searches the web when a client asks for it; known for the vendors' own models. */
  readonly web_search?: 'provider' | 'server' | undefined
  /** In place of the provider's. */
  readonly api?: Exclude<ProviderApi, 'ai-sdk'> | undefined
}

export interface ProviderEntry {
  readonly name: string
  /** Absent for OpenAI itself: chosen by host and model. */
  readonly api?: ProviderApi | undefined
  readonly baseUrl?: string | undefined
  readonly keys: KeyPool
  /** The reason why it cannot be asked: a sentence that names what to set, and the variable. */
  readonly missing?: { readonly message: string; readonly variable: string } | undefined
  readonly auth?: ProviderAuth | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Values of headers and parameters that no error may repeat. */
  readonly secrets?: readonly string[] | undefined
  readonly models?: Readonly<Record<string, ModelSettings>> | undefined
  readonly prices?: Readonly<Record<string, Price>> | undefined
  /** Models that are asked after its own, unless a request names others. */
  readonly fallbacks?: readonly string[] | undefined
  /** Its share of the sessions of an alias, against the other members; 1 when absent. */
  readonly weight?: number | undefined
  readonly retries?: number | undefined
  readonly silenceMs?: number | undefined
  /** For an address that must be watched: see `Post`. */
  readonly lookup?: LookupFunction | undefined
  /** Makes the language model, for `ai-sdk`. */
  readonly makeModel?: ((model: string) => AiSdkLanguageModel) | undefined
}

/** The provider as the log names it: opaque data goes back to the same name alone. */
export function logNameOf({ name }: Pick<ProviderEntry, 'name'>, api: ProviderApi): string {
  // The names of logs from before there were named providers.
  const isBuiltIn = name === api || (name === 'openai' && api === 'openai-chat')
  return isBuiltIn ? name : `${name}:${api}`
}

/** Row of the map without what objects inherit. */
export const settingsOf = <T>(map: Readonly<Record<string, T>> | undefined, id: string): T | undefined =>
  map && Object.hasOwn(map, id) ? map[id] : undefined
