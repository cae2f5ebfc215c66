/** Pending items, one per call. */
import { addTo } from './fields.ts'
import type { CallView, PendingView } from './view.ts'

/** The item of a call that waits; undefined for any other call. */
export function pendingOf(call: CallView): PendingView | undefined {
  if (call.state === 'awaiting_client') return item(call, 'client_tool', call.call_id, call.client?.deadline)
  const { approval } = call
  if (call.state !== 'awaiting_approval' || !approval) return undefined
  return addTo<PendingView>(item(call, approval.kind, approval.id, approval.expires_at), {
    message: approval.message,
  })
}

const item = (
  call: CallView,
  kind: PendingView['kind'],
  id: string,
  expires_at: number | undefined,
): PendingView =>
  addTo<PendingView>(
    {
      kind,
      id,
      call: call.id,
      call_id: call.call_id,
      name: call.name,
      input_text: call.input_text,
      since: call.since,
    },
    { agent: call.agent, expires_at },
  )
