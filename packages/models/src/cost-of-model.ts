/** Cost of a request of a listed model. */
import type { Usage } from '@toolwire/core'
import { findCapability } from './capabilities.ts'
import { costOf } from './shared/usage.ts'

/** US dollars at the table's price; undefined when the model or its price is unknown. Pure. */
export const costOfModel = (provider: string, id: string, usage: Usage): number | undefined =>
  costOf(usage, findCapability(provider, id)?.price)
