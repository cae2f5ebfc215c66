/** A page of the AI SDK without a browser: the chat that `useChat` wraps, of each major version, with its own transport. */
import type { AiSdkDialect } from '@toolwire/wire'
import * as ai7 from 'ai'
import * as ai5 from 'ai5'
import * as ai6 from 'ai6'

export interface PagePart {
  readonly type: string
  readonly text?: string
  readonly state?: string
  readonly toolCallId?: string
  readonly toolName?: string
  readonly output?: unknown
  readonly errorText?: string
  readonly approval?: { readonly id: string }
}

export interface PageMessage {
  readonly id: string
  readonly role: string
  readonly parts: readonly PagePart[]
}

export interface Page {
  readonly id: string
  readonly messages: readonly PageMessage[]
  readonly status: string
  readonly error: Error | undefined
  readonly sendMessage: (message?: {
    readonly text: string
    readonly messageId?: string
    readonly files?: readonly object[]
  }) => Promise<void>
  readonly regenerate: (options?: { readonly messageId?: string }) => Promise<void>
  readonly resumeStream: () => Promise<void>
  readonly addToolOutput: (output: object) => Promise<void>
  readonly addToolApprovalResponse: (answer: {
    readonly id: string
    readonly approved: boolean
    readonly reason?: string
  }) => Promise<void>
  readonly stop: () => Promise<void>
}

interface PageOptions {
  readonly id?: string
  readonly headers?: Record<string, string>
  readonly messages?: readonly PageMessage[]
  readonly fetch?: typeof fetch
  /** The base below the server's address; that of the dialect unless given. */
  readonly base?: string
  readonly body?: object
  readonly onToolCall?: (call: { readonly toolCallId: string; readonly toolName: string }) => void
}

// biome-ignore lint/suspicious/noExplicitAny: the packages have different types
type Package = any
const PACKAGES: Readonly<Record<AiSdkDialect, Package>> = { 5: ai5, 6: ai6, 7: ai7 }

/** What `useChat` holds in React's state. */
class PlainState {
  status = 'ready'
  error: Error | undefined
  messages: PageMessage[]
  constructor(messages: readonly PageMessage[]) {
    this.messages = [...messages]
  }
  readonly pushMessage = (message: PageMessage): void => {
    this.messages = [...this.messages, message]
  }
  readonly popMessage = (): void => {
    this.messages = this.messages.slice(0, -1)
  }
  readonly replaceMessage = (index: number, message: PageMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message))
  }
  readonly snapshot = <T>(value: T): T => structuredClone(value)
}

export function openPage(dialect: AiSdkDialect, url: string, options: PageOptions = {}): Page {
  const ai = PACKAGES[dialect]
  class PlainChat extends ai.AbstractChat {}
  const api = `${url}${options.base ?? `/api/ai/v${dialect}`}/chat`
  const whenAnswered = ({ messages }: { messages: PageMessage[] }): boolean =>
    ai.lastAssistantMessageIsCompleteWithToolCalls({ messages }) ||
    ai.lastAssistantMessageIsCompleteWithApprovalResponses?.({ messages }) === true
  return new (PlainChat as Package)({
    ...(options.id === undefined ? {} : { id: options.id }),
    state: new PlainState(options.messages ?? []),
    transport: new ai.DefaultChatTransport({
      api,
      headers: options.headers,
      ...(options.body ? { body: options.body } : {}),
      ...(options.fetch ? { fetch: options.fetch } : {}),
    }),
    sendAutomaticallyWhen: whenAnswered,
    onToolCall: ({ toolCall }: Package) => options.onToolCall?.(toolCall),
    onError: () => {},
  }) as unknown as Page
}

/** The page's automatic requests have ended. */
export async function settle(page: Page): Promise<void> {
  do await new Promise(resolve => setTimeout(resolve, 0))
  while (page.status === 'submitted' || page.status === 'streaming')
}

export const textOf = (message: PageMessage | undefined): string =>
  (message?.parts ?? []).map(part => (part.type === 'text' ? part.text : '')).join('')

export const callsOf = (message: PageMessage | undefined): readonly PagePart[] =>
  (message?.parts ?? []).filter(part => part.type === 'dynamic-tool')
