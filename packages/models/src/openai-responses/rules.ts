/** Facts about the server and the model that decide how a request is written. */
import type { Capability } from '../capabilities.ts'

export interface ResponsesRules {
  readonly capability?: Capability | undefined
  readonly isOfficial: boolean
  /** The provider searches the web for the model. */
  readonly webSearch?: boolean | undefined
  /** The provider as the log names it: its opaque data goes back, and no other. */
  readonly provider: string
  /** The provider and key whose encrypted reasoning goes back; the provider itself when absent. */
  readonly reasoningOf?: string
}
