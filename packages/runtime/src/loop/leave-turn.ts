/**
 * An engine's exit from a turn: thrown by its model's stream, it passes through to the loop's caller. Anything
 * else that a model throws is the failure of that model.
 */
export class TurnExitError extends Error {
  override readonly name: string = 'TurnExitError'
}
