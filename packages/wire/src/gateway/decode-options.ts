/** Options of the vendor wires' decoders beside the body. */
import type { SearchService } from './search-request.ts'

export interface DecodeOptions {
  /** Refuse what would need a change. */
  readonly strict?: boolean
  /** The model of requests that name none. */
  readonly model?: string
  /** A tool that cannot be forced is offered instead of refusing the request. */
  readonly downgrade?: boolean
  /** The service that searches the web for a model; `undefined` is the default model. */
  readonly search?: (model: string | undefined) => SearchService | undefined
}
