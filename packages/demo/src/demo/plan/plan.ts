/**
 * The plan of a scripted model's message, before it is split into parts. Plain data: the demo planner and scenario
 * files both make plans, `stream-plan.ts` streams them.
 */
import type { Failure, Finish } from '@toolwire/core'

/** The provider's own stop reasons, with the neutral word that each one maps to. */
export const FINISH_OF = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  pause_turn: 'pause',
  refusal: 'refusal',
} as const satisfies Record<string, Finish>

export type StopReason = keyof typeof FINISH_OF

/** `pieces`, when given, are the exact deltas; joined they must equal the block's content. */
export type PlannedBlock =
  | {
      readonly type: 'text'
      readonly text: string
      readonly pieces?: readonly string[]
      /** Silence before each piece, kept as a delay is. */
      readonly pause_ms?: number
    }
  | { readonly type: 'thinking'; readonly thinking: string; readonly pieces?: readonly string[] }
  | {
      readonly type: 'tool_use'
      readonly name: string
      /** Raw argument text; need not be JSON. */
      readonly input_text: string
      readonly pieces?: readonly string[]
      /** Derived from the request when absent. */
      readonly id?: string
    }
  /** Silence. Honoured at every pace, so that a slow answer stays slow in tests. */
  | { readonly type: 'delay'; readonly ms: number }

export interface Plan {
  readonly blocks: readonly PlannedBlock[]
  readonly stop_reason: StopReason
  readonly stop_details?: unknown
  /** The stream breaks with this after its blocks; the last block stays open, as a lost connection leaves it. */
  readonly error?: Failure
}

/** A plan that says one thing and ends its turn. */
export const sayPlan = (text: string): Plan => ({ blocks: [{ type: 'text', text }], stop_reason: 'end_turn' })
