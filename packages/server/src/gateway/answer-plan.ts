/** What the gateway's parts tell each other about one answer. */
import type { RunLimits, ToolSpec } from '@toolwire/core'
import type { Follow, Warning } from '@toolwire/wire'
import type { ServerContext } from '../context.ts'
import type { Receipts } from './receipts.ts'
import type { SessionIndex } from './session-index.ts'

export interface GatewayContext extends ServerContext {
  readonly index: SessionIndex
  readonly receipts: Receipts<StartedAnswer, PlannedAnswer>
  /** How many requests read a session's answer right now. */
  readonly readers: Map<string, number>
}

/** How the model is to answer, settled against the server's configuration. */
export interface Setup {
  /** The wire that the request came through. */
  readonly protocol: string
  readonly model: string
  readonly client_tools: readonly ToolSpec[]
  readonly server_tools: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  /** Of every run of this answer, and who answers when its model cannot. */
  readonly limits: RunLimits
}

/** An answer whose beginning may be in the log or not: it is known before anything is appended. */
export type PlannedRun = Omit<StartedAnswer, 'from' | 'follow'> & { readonly run_id: string }

/** `repeatable`: doing the same once more leads to the same answer. */
export type PlannedAnswer = PlannedRun | 'repeatable'

/** Keeps the plan; resolves when it is stored. */
export type KeepPlan = (planned: PlannedAnswer) => Promise<void>

/** Told where the run will be, before it is appended there. */
export type Foretell = (place: Pick<PlannedRun, 'session' | 'run_id'>) => Promise<void>

/** An answer that is under way. */
export interface StartedAnswer {
  readonly session: string
  readonly follow: Follow
  /** Records up to here are none of its business. */
  readonly from: number
  /** The chain up to and including the request. */
  readonly chain: string
  /** Fingerprint of what a waiting run cannot change any more. */
  readonly setup: string
  readonly user: string | undefined
  /** Nothing runs on the server: when the client leaves, nobody wants the answer. */
  readonly pure: boolean
  readonly warnings: readonly Warning[]
  /** Messages of it that broke off before this reader came: what they said is left out. */
  readonly lost?: readonly string[]
}
