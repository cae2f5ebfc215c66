/**
 * The data of a suspended call, as a note in the log: in the newer era everything, so that any process can
 * continue; in the older era the answers so far, so that a repeated call gives them again.
 */
import type { ToolNotes } from '@toolwire/core'
import { z } from 'zod'
import type { Elicitation } from './elicitation.ts'

const fields = z.record(z.string(), z.unknown())

const Suspended = z.object({
  /** The attempt that asked. A later one has continued with the answer. */
  attempt: z.number().int(),
  /**
   * `round`: the server needs answers and then the call again. `live`: the connection waits. `again`: the call was
   * rejected until the user has visited a page.
   */
  way: z.enum(['round', 'live', 'again']),
  rounds: z.number().int(),
  /** Questions still to be answered, the open one first. */
  open: z.array(z.object({ key: z.string(), asked: fields })),
  /** Answers of this round, by the server's keys. */
  responses: fields,
  request_state: z.string().optional(),
  /** Answers that were given over a live connection, in their order. */
  given: z.array(z.object({ print: z.string(), response: fields })),
})

export type SuspendedCall = Readonly<Omit<z.output<typeof Suspended>, 'open'>> & {
  readonly open: readonly { readonly key: string; readonly asked: Elicitation }[]
}

const nameOf = (call_id: string): string => `mcp_call:${call_id}`

/** Undefined when the call never asked. */
export function loadSuspended(notes: ToolNotes, call_id: string): SuspendedCall | undefined {
  const parsed = Suspended.safeParse(notes.get(nameOf(call_id)))
  return parsed.success ? (parsed.data as unknown as SuspendedCall) : undefined
}

/** Committed with the question. */
export function saveSuspended(notes: ToolNotes, call_id: string, suspended: SuspendedCall): void {
  notes.set(nameOf(call_id), suspended)
}

/** Committed with the result. */
export function forgetSuspended(notes: ToolNotes, call_id: string): void {
  if (notes.get(nameOf(call_id)) !== undefined) notes.set(nameOf(call_id), null)
}
