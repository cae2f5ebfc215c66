/** Facts about one model at one provider: what it can do and what it costs. */
import type { Capability } from '../capabilities.ts'
import type { Price } from './usage.ts'

export interface ModelKnowledge {
  readonly capability?: Capability | undefined
  /** Tokens that a request and its answer may have together. */
  readonly context?: number | undefined
  readonly price?: Price | undefined
  /** The provider searches the web for the model. */
  readonly webSearch?: boolean | undefined
}
