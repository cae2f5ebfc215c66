/**
 * The state of the chat projection between records. Small on purpose: each connection holds one, and a delta
 * leaves it unchanged after the first one of its block.
 */
import type { ConversationStart, Usage } from '@toolwire/core'

export interface ChatState {
  readonly session_id: string
  /** The latest provider session; it may change with every run. */
  readonly provider_session_id: string | null
  readonly facts: SessionFacts
  readonly run?: ChatRun
  /** The constant end of every frame of a nested agent, by its run id. */
  readonly agents: ReadonlyMap<string, string>
  readonly blocks: ReadonlyMap<string, ChatBlock>
  readonly calls: ReadonlyMap<string, ChatCall>
}

interface SessionFacts {
  readonly cwd: string
  readonly tools: readonly string[]
  readonly model: string
  readonly permission_mode: string
}

/** The current run; kept after a pause, because the resumed run continues its numbers. */
export interface ChatRun {
  readonly conversation_id: string
  /** `,"session_id":…,"conversation_id":…}`: closes every frame, built once per run. */
  readonly tail: string
  /** True after this run's `system` frame. */
  readonly greeted: boolean
  readonly ended: boolean
  readonly started_at: string
  readonly model: string
  readonly num_turns: number
  readonly usage: Usage
  readonly cost_usd: number
  /** Text of the root agent's completed messages, over pauses. */
  readonly text: string
  /** Text of its latest message until that completes; dropped when the message is said again. */
  readonly openText: string
}

export interface ChatBlock {
  readonly message_id: string
  readonly run_index: number
  readonly nested: boolean
  /** The part of a delta frame after its text. */
  readonly deltaTail: string
  readonly tail: string
  /** True after a delta; a completion without any is sent as one delta. */
  readonly streamed: boolean
}

export interface ChatCall {
  readonly message_id: string
  readonly block_id: string
  readonly name: string
  readonly input_text: string
  readonly input: unknown
  readonly ready: boolean
}

export const NO_USAGE: Usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }

export const initialChatState = (sessionId: string): ChatState => ({
  session_id: sessionId,
  provider_session_id: null,
  facts: { cwd: '', tools: [], model: '', permission_mode: 'default' },
  agents: new Map(),
  blocks: new Map(),
  calls: new Map(),
})

/** The state before a conversation; its first record resets everything else. */
export function chatStateAt(sessionId: string, start: ConversationStart): ChatState {
  const { provider_session_id, before } = start
  const state = { ...initialChatState(sessionId), provider_session_id }
  return before.environment ? { ...state, facts: before.environment } : state
}

/** A copy without the entries that `drop` names; the same map if nothing is dropped. */
export function without<V>(
  map: ReadonlyMap<string, V>,
  drop: (value: V, key: string) => boolean,
): ReadonlyMap<string, V> {
  const kept = [...map].filter(([key, value]) => !drop(value, key))
  return kept.length === map.size ? map : new Map(kept)
}
