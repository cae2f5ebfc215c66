/** Options of the vendor wires' decoders beside the body. */
export interface DecodeOptions {
  /** Refuse what would need a change. */
  readonly strict?: boolean
  /** The model of requests that name none. */
  readonly model?: string
  /** A tool that cannot be forced is offered instead of refusing the request. */
  readonly downgrade?: boolean
}
