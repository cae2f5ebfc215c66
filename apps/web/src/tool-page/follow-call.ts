/** Waits for a page's call, however long its approval takes. */
import type { Client } from '@toolwire/client'
import type { CallView, SessionView } from '@toolwire/core/view'
import { resultOf } from './call-facts.ts'
import type { Fields } from './page-message.ts'

/** The MCP result; a denial is an error result. Throws if the session is rejected or `signal` aborts. */
export async function followCall(
  client: Client,
  { session_id, run_id }: { readonly session_id: string; readonly run_id: string },
  signal: AbortSignal,
): Promise<Fields> {
  const { view } = await client.session(session_id).until(({ view }) => hasEnded(view, run_id), signal)
  const call = callOf(view, run_id)
  return call
    ? resultOf(call)
    : { content: [{ type: 'text', text: 'The call was not made.' }], isError: true }
}

const turnOf = (view: SessionView, run: string) => view.turns.find(turn => turn.runs.includes(run))

function hasEnded(view: SessionView, run: string): boolean {
  const state = turnOf(view, run)?.state
  return state !== undefined && state !== 'running' && state !== 'paused'
}

/** The one call of a run. */
function callOf(view: SessionView, run: string): CallView | undefined {
  for (const id of turnOf(view, run)?.messages ?? [])
    for (const block of view.messages.get(id)?.blocks ?? []) {
      const call = view.calls.get(view.blocks.get(block)?.call ?? '')
      if (call) return call
    }
  return undefined
}
