/** Shared by the steps of a vendor wire's request: services, the settings of a response, and its plan. */
import type { Follow, RunLimits, ToolSpec } from '@toolwire/core'
import type { Frame, OutlineBlock, Warning, Wire } from '@toolwire/wire'
import type { ServerContext } from '../context.ts'
import { createLocalRecords, createReceipts, type LocalRecords, type Receipts } from './receipts.ts'
import { createSealerSource, type Sealer } from './sealer.ts'
import { createSessionIndex, type SessionIndex } from './session-index.ts'

export interface GatewayContext extends ServerContext {
  readonly index: SessionIndex
  readonly receipts: Receipts<StartedAnswer, PlannedAnswer>
  /** Requests that read a session's response right now. */
  readonly readers: Map<string, number>
  /** Seals what clients carry for the server. */
  readonly sealer: () => Promise<Sealer>
  /** Small facts; in memory where the server has no records. */
  readonly gatewayRecords: LocalRecords
}

/** The settings of a response, checked against the server's configuration. */
export interface Setup {
  /** The wire that the request came through. */
  readonly protocol: string
  readonly model: string
  readonly client_tools: readonly ToolSpec[]
  readonly server_tools: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  /** Of every run of this response, with its fallback models. */
  readonly limits: RunLimits
  /** Changes that this setup makes to the request. */
  readonly warnings: readonly Warning[]
}

/** A response before anything of it is appended: the log may hold its run or not. */
export type PlannedRun = Omit<StartedAnswer, 'from' | 'follow'> & { readonly run_id: string }

/** `repeatable`: doing the same once more leads to the same answer. */
export type PlannedAnswer = PlannedRun | 'repeatable'

/** Resolves when the plan is stored. */
export type SavePlan = (planned: PlannedAnswer) => Promise<void>

/** Called with the position of the run before it is appended there. */
export type BeforeAppend = (position: Pick<PlannedRun, 'session' | 'run_id'>) => Promise<void>

/** A response that has begun. */
export interface StartedAnswer {
  readonly session: string
  readonly follow: Follow
  /** Seq of the last record before this response. */
  readonly from: number
  /** The chain up to and including the request. */
  readonly chain: string
  /** The same of the echo; receipts of earlier versions have none. */
  readonly echo?: string | undefined
  /** Fingerprint of the caller's key. */
  readonly owner?: string | undefined
  /** Digests of the reminders that the request holds. */
  readonly notes?: string | undefined
  /** Fingerprint of what a waiting run cannot change any more. */
  readonly setup: string
  readonly user: string | undefined
  /** No server tools: the run is cancelled when the client disconnects. */
  readonly pure: boolean
  readonly warnings: readonly Warning[]
  /** Messages of it that were aborted before this reader came: their text is left out. */
  readonly lost?: readonly string[]
}

interface Problem {
  readonly code: string
  readonly message: string
  readonly http_status?: number | undefined
  readonly details?: unknown
}

/** The differences between the vendor wires once a response has started. */
export interface Dialect {
  /** The projection for this request. */
  readonly wire: (warnings: readonly Warning[]) => Wire
  /** Keeps an idle stream alive. */
  readonly heartbeat: string
  readonly fold: (frames: readonly Frame[]) => { readonly warnings?: readonly Warning[] }
  /** The response as the client will send it back. */
  readonly visible: (blocks: readonly OutlineBlock[]) => string
  /** The same without what clients change between two requests. */
  readonly echo: (blocks: readonly OutlineBlock[]) => string
  readonly toError: (
    problem: Problem,
    request_id: string,
  ) => { readonly status: number; readonly body: object }
}

/** Labels and receipts outlive the process (receipts where the server has records), the rest does not. */
export function createGatewayContext(server: ServerContext): GatewayContext {
  const { store, sessions, records, clock, ids, settings, ports } = server
  const now = (): number => clock.now().getTime()
  const { shared: isShared } = settings
  const { leases } = ports
  const gatewayRecords = records ?? createLocalRecords()
  return {
    ...server,
    index: createSessionIndex(store, sessions),
    receipts: createReceipts(gatewayRecords, { now, newId: ids.uuid, isShared, leases }),
    readers: new Map(),
    sealer: createSealerSource(gatewayRecords, settings.sealSecrets),
    gatewayRecords,
  }
}
