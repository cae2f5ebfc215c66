/** Sessions, their messages and events, as the session API shows them. */
import type { HistoryMessage } from '@toolwire/core'
import { ContentPart, Opaque, PendingItem, SessionEvent } from '@toolwire/core/schema'
import { z } from 'zod'
import type { SessionView } from '../../sessions/session-view.ts'
import { describes } from './describes.ts'

export const Session = describes<SessionView>()(
  z.object({
    id: z.string(),
    claude_session_id: z.string().nullable().describe('The session of the engine that drives this one.'),
    workspace_path: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    conversation_count: z.number().int(),
    title: z.string().nullable(),
    model: z.string(),
    effort: z.string().optional().describe('How much models are asked to think.'),
    status: z.enum(['idle', 'running', 'paused', 'failed']),
    is_waiting_for_tool: z.boolean(),
    pending: z.array(PendingItem),
    thread_id: z.number().int().describe('The number of this session on the thread protocol.'),
    tags: z.array(z.string()).optional(),
    archived: z.boolean().optional().describe('Put away: lists leave it out unless they are asked for it.'),
  }),
).meta({ id: 'Session' })

/** An item of a list, which may carry the beginning of its arguments alone. */
const ListedItem = PendingItem.extend({
  input_cut: z
    .literal(true)
    .optional()
    .describe('`input_text` is only the beginning: the list was asked for with `inputs=short`.'),
  input_chars: z.number().int().optional().describe('The length of the whole `input_text` where it was cut.'),
})

export const SessionPage = z
  .object({
    sessions: z.array(Session.extend({ pending: z.array(ListedItem) })),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'SessionPage' })

/** Fields that the store adds to an event at commit. */
const Envelope = z.object({
  v: z.literal(1),
  seq: z.number().int().describe('The position in the session, from 1 without gaps.'),
  id: z.string().describe('The cursor after this event.'),
  session_id: z.string(),
})

export const RecordedEvent = z.intersection(Envelope, SessionEvent).meta({ id: 'RecordedEvent' })

export const SessionExport = z
  .object({ version: z.literal(1), session: Session, events: z.array(RecordedEvent) })
  .meta({ id: 'SessionExport' })

const attached = { opaque: Opaque.optional() }

const AssistantPart = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    text: z.string(),
    citations: z.array(z.unknown()).optional(),
    ...attached,
  }),
  z.object({
    type: z.literal('thinking'),
    thinking: z.string(),
    signature: z.string().optional(),
    ...attached,
  }),
  z.object({ type: z.literal('redacted_thinking'), data: z.unknown(), ...attached }),
  z.object({
    type: z.literal('tool_use'),
    call_id: z.string(),
    name: z.string(),
    input_text: z.string(),
    ...attached,
  }),
  z.object({
    type: z.literal('provider'),
    kind: z.enum(['provider_tool_use', 'provider_tool_result', 'file']),
    data: z.unknown(),
    input_text: z.string().optional(),
    ...attached,
  }),
  z.object({ type: z.literal('refusal'), text: z.string(), ...attached }),
])

const ToolResult = z.object({
  type: z.literal('tool_result'),
  call_id: z.string(),
  name: z.string(),
  output_text: z.string(),
  content: z.array(ContentPart),
  is_error: z.boolean(),
})

const Message = describes<HistoryMessage>()(
  z.discriminatedUnion('role', [
    z.object({ role: z.literal('user'), content: z.array(ContentPart) }),
    z.object({ role: z.literal('system'), content: z.array(ContentPart) }),
    z.object({
      role: z.literal('assistant'),
      message_id: z.string(),
      provider: z.string(),
      model: z.string(),
      content: z.array(AssistantPart),
    }),
    z.object({ role: z.literal('tool'), results: z.array(ToolResult) }),
  ]),
)

export const SessionMessages = z
  .object({ session_id: z.string(), messages: z.array(Message) })
  .meta({ id: 'SessionMessages' })

export const PendingList = z
  .object({ pending: z.array(ListedItem.extend({ session_id: z.string() })) })
  .meta({ id: 'PendingList' })

export const ApprovalRecorded = z
  .object({
    approval_id: z.string(),
    session_id: z.string(),
    call_id: z.string(),
    decision: z.string(),
    reason: z.string().optional(),
    first: z.boolean().describe('False when the same answer had been given before.'),
  })
  .meta({ id: 'ApprovalRecorded' })

export const OutputsRecorded = z
  .object({
    session_id: z.string(),
    accepted: z.array(z.object({ tool_use_id: z.string(), first: z.boolean() })),
    pending: z.array(PendingItem),
  })
  .meta({ id: 'OutputsRecorded' })
