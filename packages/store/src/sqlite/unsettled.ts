/**
 * Sessions with previews in `recent`, and the heads that these brought. It may name a session
 * that has been settled meanwhile, never miss one that has not: a reader that trusts it sees no gap.
 */
import type { Seq } from '@toolwire/core'

export type Unsettled = Map<string, Seq>
