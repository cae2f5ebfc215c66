/** Usage of one turn of a model, as it is charged. */
export interface TurnUsage {
  /** Null for a turn of unknown price. */
  readonly usd: number | null
  readonly input_tokens: number
  readonly output_tokens: number
}
