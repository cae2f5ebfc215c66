/** Rules of tools for the answers to them, as a port: the kernel knows no tools. */
import type { ContentPart, EventOf } from '@toolwire/core'
import type { AddressedApproval, ToolOutputAnswer } from '@toolwire/wire'

/** An output; `content` holds all of it when it is more than its text. */
export type ClientOutput = ToolOutputAnswer & { readonly content?: readonly ContentPart[] }

export interface AnswerRules {
  /** The part of an output that may be stored, and whether it ends the turn. Pure and idempotent. */
  readonly keptOutput: (
    tool: string,
    output: ClientOutput,
  ) => { readonly output: ClientOutput; readonly ends_turn: boolean }
  /** Checks the answer to a form. */
  readonly readFormAnswer: (
    schema: EventOf<'tool.approval_requested'>['schema'],
    answer: { readonly decision: AddressedApproval['decision']; readonly text?: string },
  ) => { readonly ok: true } | { readonly ok: false; readonly problems: readonly string[] }
}
