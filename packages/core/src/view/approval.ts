/** A question about a call: asked, answered by a person, settled by the log. */

import type { EventOf } from '../event.ts'
import { addTo, toMs } from './fields.ts'
import { FLAG, MAYBE_FLAG, MAYBE_TEXT, maybe, type ShapeOf, TEXT } from './shape.ts'
import type { ApprovalView } from './view.ts'

/** Fields read from a question. */
export const REQUEST: ShapeOf<EventOf<'tool.approval_requested'>> = {
  approval_id: TEXT,
  kind: MAYBE_TEXT,
  allow_edit: FLAG,
  options: maybe([]),
  automatic: MAYBE_FLAG,
  message: MAYBE_TEXT,
  schema: maybe({}),
  url: MAYBE_TEXT,
  resumes: MAYBE_FLAG,
  expires_at: MAYBE_TEXT,
}

export const approvalOf = (ev: EventOf<'tool.approval_requested'>): ApprovalView =>
  addTo<ApprovalView>(
    {
      id: ev.approval_id,
      kind: ev.kind ?? 'approval',
      allow_edit: ev.allow_edit,
      options: ev.options ?? [],
      automatic: ev.automatic ?? false,
      requested_at: Date.parse(ev.ts),
    },
    {
      message: ev.message,
      details: ev.details,
      schema: ev.schema,
      url: ev.url,
      resumes: ev.resumes,
      expires_at: toMs(ev.expires_at),
    },
  )

/** Fields read from an answer. */
export const DECISION = {
  decision: TEXT,
  reason: MAYBE_TEXT,
  rule: MAYBE_TEXT,
  by: MAYBE_TEXT,
  edited_input_text: MAYBE_TEXT,
  answer_text: MAYBE_TEXT,
}

export const decide = (
  approval: ApprovalView,
  ev: EventOf<'input.approval' | 'tool.approval_resolved'>,
): ApprovalView =>
  addTo<ApprovalView>(approval, {
    decision: ev.decision,
    reason: ev.reason,
    rule: ev.rule,
    by: ev.by,
    edited_input_text: ev.edited_input_text,
    answer_text: ev.answer_text,
  })
