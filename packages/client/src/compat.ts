/**
 * Other people's clients on this server: what the official packages are given at their construction. None of them is
 * a dependency; the shapes are theirs.
 */
import { type Client, type ClientOptions, createClient } from './client.ts'
import {
  type ChatTransport,
  type ChatTransportOptions,
  createChatTransport,
} from './compat/chat-transport.ts'

export type { ChatTransport, ChatTransportOptions, UiMessage } from './compat/chat-transport.ts'
export type { UiChunk } from './compat/ui-chunks.ts'

/** Options of `new OpenAI(…)` and `new Anthropic(…)`. */
export interface SdkOptions {
  readonly baseURL: string
  readonly apiKey: string
  readonly defaultHeaders: Record<string, string>
  readonly fetch?: typeof fetch
}

export interface Compat {
  /** For `new OpenAI(…)` of `openai`: Chat Completions and everything built on it. */
  readonly openai: () => SdkOptions
  /** For `new Anthropic(…)` of `@anthropic-ai/sdk`: Messages and everything built on it. */
  readonly anthropic: () => SdkOptions
  /**
   * For `useChat({ id: session.id, transport })` of `@ai-sdk/react`, `@ai-sdk/vue` and others: sessions as chats. It
   * needs this client in the page; `/api/ai/v5`, `/v6` and `/v7` of the server take the package's own transport.
   */
  readonly aiSdkTransport: (options?: ChatTransportOptions) => ChatTransport
}

/**
 * Takes the options of `createClient`, or a client for `aiSdkTransport` beside them. Makes no request by itself.
 * `headers` are read once, when the options are built: these packages take no function there.
 */
export function createCompat(
  options: Pick<ClientOptions, 'baseUrl' | 'apiKey' | 'headers' | 'fetch'> = {},
  client: Client = createClient(options),
): Compat {
  const sdk = (path: string): SdkOptions => ({
    baseURL: `${addressOf(options.baseUrl ?? '')}${path}`,
    // They insist on one; a server without keys takes any.
    apiKey: options.apiKey ?? 'none',
    defaultHeaders: { ...options.headers?.() },
    ...(options.fetch ? { fetch: options.fetch } : {}),
  })
  return {
    openai: () => sdk('/v1'),
    anthropic: () => sdk(''),
    aiSdkTransport: chat => createChatTransport(client, chat),
  }
}

/** They need a whole address where ours takes the page's own. */
const addressOf = (baseUrl: string): string =>
  (baseUrl === '' ? (globalThis.location?.origin ?? '') : baseUrl).replace(/\/+$/, '')
