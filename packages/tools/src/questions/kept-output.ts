/** The part of a client tool's output that may be stored: all of it, except for forms, whose fields stay with the client. */
import { type StickerAnswer, stickerRequest, toStickerAnswer } from '../builtin/sticker-request.ts'

export interface KeptOutput<Output> {
  readonly output: Output
  /** The person put the form away: nothing more is said in this turn. */
  readonly ends_turn: boolean
}

/** Pure and idempotent: an output that was sent twice is kept the same both times. */
export function keptOutput<Output extends StickerAnswer>(tool: string, given: Output): KeptOutput<Output> {
  if (tool !== stickerRequest.name) return { output: given, ends_turn: false }
  const { content: _, ...rest } = given as Output & { readonly content?: unknown }
  const answer = toStickerAnswer(given)
  return { output: { ...(rest as Output), ...answer }, ends_turn: answer.is_error }
}
