/**
 * A request of a vendor wire in canonical words: the conversation it brings, what it newly says,
 * and how the model is to answer. Both decoders make it; the server needs nothing else.
 */
import type { AssistantPart, ContentPart, ToolResultPart, ToolSpec } from '@toolwire/core'
import type { Warning } from './warning.ts'

/** A message of a conversation that the client kept. */
export type ImportedMessage =
  | { readonly role: 'user' | 'system'; readonly content: readonly ContentPart[] }
  | { readonly role: 'assistant'; readonly provider: string; readonly content: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly results: readonly ToolResultPart[] }

/** The input that the model answers now. */
export type Tail =
  | { readonly type: 'message'; readonly content: readonly ContentPart[] }
  /** Results of the latest assistant message in call order; `missing` ones were not sent. */
  | {
      readonly type: 'results'
      readonly results: readonly ToolResultPart[]
      readonly missing: readonly string[]
      /** Messages sent with them, which the model reads right after them; usually none. */
      readonly joined: readonly JoinedMessage[]
    }
  /** Go on from where the history ends. */
  | { readonly type: 'continue' }

export type JoinedMessage = Extract<ImportedMessage, { role: 'user' | 'system' }>

/** A conversation without what clients change between two requests; see `toEcho`. */
export interface Echo {
  /** Up to and including the latest assistant message. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Omitted from the texts: notes right before and after the latest assistant message. */
  readonly notes: { readonly before: readonly EchoNote[]; readonly after: readonly EchoNote[] }
}

/** A reminder that a client puts into the conversation, and moves or changes with the next request. */
export interface EchoNote {
  readonly role: 'user' | 'system'
  readonly text: string
}

export interface GatewayRequest {
  /** Undefined when the server's default is meant. */
  readonly model: string | undefined
  readonly stream: boolean
  readonly client_tools: readonly ToolSpec[]
  /** Settings for the model, by the names that models know. */
  readonly options: Readonly<Record<string, unknown>>
  /** Everything before the tail; every call in it is answered. */
  readonly history: readonly ImportedMessage[]
  readonly tail: Tail
  /** Make one text per message as the client sees it, in order: equal conversations have equal texts. */
  readonly visible: readonly (() => string)[]
  /** Number of messages up to and including the latest assistant message. */
  readonly answered: number
  /** Number of messages at the end that are the user's new input. */
  readonly said: number
  /** The conversation without what clients change between two requests. */
  readonly echo: (tools: readonly ToolSpec[]) => Echo
  /** It brings a system prompt or another message for the system. */
  readonly has_instructions: boolean
  /** Calls of the latest assistant message, as the client names them. */
  readonly calls: readonly { readonly call_id: string; readonly name: string }[]
  /** Ids of the calls that it brings results for, in the whole conversation. */
  readonly results: readonly string[]
  /** Calls have no ids in this dialect: results go to the waiting call of the same name. */
  readonly by_name: boolean
  /** The session that the request names itself. */
  readonly session_id: string | undefined
  readonly user: string | undefined
  /** Names of server tools that the request asks to have run on the server; `*` is all of them. */
  readonly server_tools: readonly string[] | undefined
  readonly warnings: readonly Warning[]
}
