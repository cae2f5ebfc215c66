/**
 * Facts of each model, from one dated data file. An unlisted model is served too: nothing about it is assumed, and
 * its price is unknown, not zero.
 */
import type { Effort } from '@toolwire/core'
import table from './capabilities.json' with { type: 'json' }
import type { Price } from './shared/usage.ts'

export interface Capability {
  readonly provider: string
  readonly id: string
  /** Tokens of one answer; the default for `max_tokens`. */
  readonly max_output?: number
  readonly context?: number
  /** False when the model refuses temperature, top_p and top_k. */
  readonly sampling?: boolean
  /** `always`: adaptive, and cannot be switched off. */
  readonly thinking?: 'always' | 'adaptive' | 'budget' | 'none'
  readonly effort?: boolean
  /** Its levels of effort, least first, where it takes an effort. */
  readonly efforts?: readonly Effort[]
  /** False when Chat Completions refuses functions together with an effort. */
  readonly effort_with_tools?: boolean
  /** False when an answer cannot be begun on the model's behalf. */
  readonly prefill?: boolean
  readonly strict?: boolean
  /** True if system messages may be in the middle of a conversation, in their own role. */
  readonly mid_system?: boolean
  readonly price?: Price
}

/** Day on which the table was last compared with its sources. */
export const CAPABILITIES_DATE: string = table.date

const ROWS = table.models as readonly Capability[]
const BY_ID = new Map(ROWS.map(row => [`${row.provider}/${row.id}`, row]))

/**
 * By exact id, else without a date at its end. Never by prefix: a newer model whose name
 * begins like an older one's would inherit a price that is not its own.
 */
export function findCapability(provider: string, id: string): Capability | undefined {
  return (
    BY_ID.get(`${provider}/${id}`) ??
    BY_ID.get(`${provider}/${id.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')}`)
  )
}

/** Every listed model, as `provider/id`, in the order of the file. */
export const listedModels = (): readonly Capability[] => ROWS
