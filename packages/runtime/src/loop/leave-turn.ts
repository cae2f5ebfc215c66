/**
 * How an engine of its own leaves a turn: thrown by its model's stream, it passes through to whoever called the loop.
 * Anything else that a model throws is the failure of that model.
 */
export class TurnExitError extends Error {
  override readonly name: string = 'TurnExitError'
}
