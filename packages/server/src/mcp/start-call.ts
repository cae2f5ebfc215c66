/** Starts calls of the MCP server: a tool's in a separate session, an agent's in a conversation. */
import {
  type AgentRequest,
  AppError,
  type CallRequest,
  type EventOf,
  type HostedCall,
  type SessionEvent,
  type SessionRow,
  TRY_MODEL,
  TRY_OPTION,
} from '@toolwire/core'
import { isSameInput, sessionLabels, toIndex } from '@toolwire/session'
import type { ServerContext } from '../context.ts'
import { chooseWorkspace } from '../sessions/choose-workspace.ts'
import { defaultModel } from '../sessions/default-model.ts'
import { findSession } from '../sessions/find-session.ts'
import { idFromKey } from '../sessions/id-from-key.ts'
import { toPromptFields } from '../sessions/session-prompt.ts'
import { ARCHIVED } from '../sessions/session-tags.ts'

/** Labels of the sessions; the value names the tool or the agent. */
const TOOL_LABEL = 'mcp_tool'
const AGENT_LABEL = 'mcp_agent'
const VIA = { protocol: 'mcp' } as const

type CreatedEvent = EventOf<'session.created'>

export async function startToolCall(context: ServerContext, request: CallRequest): Promise<HostedCall> {
  const { name, input, key } = request
  const created: CreatedEvent = {
    ...toBase(context),
    model: TRY_MODEL,
    tools: [name],
    title: name,
    metadata: { mcp_call: { name, input } },
  }
  const content = [{ type: 'text', text: name }] as const
  const message = { content: [...content], options: { [TRY_OPTION]: { name, input } } }
  // Put away from the start: a host makes hundreds of them. What waits in one is listed all the same.
  return await createCall(context, { name, key, created, message, label: TOOL_LABEL, isHidden: true })
}

/** Throws `session_not_found` for a session that is no conversation with this agent. */
export async function startAgentCall(context: ServerContext, request: AgentRequest): Promise<HostedCall> {
  const { name, agent, message: text, session_id, key } = request
  const message = {
    content: [{ type: 'text' as const, text }],
    ...(agent.max_turns === undefined ? {} : { max_turns: agent.max_turns }),
  }
  if (session_id !== undefined) return await continueCall(context, { name, session_id, message, key })
  if (agent.model !== undefined) context.ports.checkModel(agent.model)
  const { effort } = context.settings
  const created: CreatedEvent = {
    ...toBase(context),
    model: agent.model ?? defaultModel(context),
    tools: [...(agent.tools ?? context.settings.toolNames)],
    ...(effort === undefined ? {} : { effort }),
    ...toPromptFields({ system: agent.system }),
    metadata: { mcp_call: { name, message: text } },
  }
  return await createCall(context, { name, key, created, message, label: AGENT_LABEL, isHidden: false })
}

const toBase = (context: ServerContext) => ({
  type: 'session.created' as const,
  ts: context.clock.now().toISOString(),
  cwd: chooseWorkspace(context),
  permission_mode: context.settings.permissionMode,
})

type MessageFields = Pick<EventOf<'input.message'>, 'content' | 'options' | 'max_turns'>

interface CallDraft {
  readonly name: string
  readonly key: string | undefined
  readonly created: CreatedEvent
  readonly message: MessageFields
  readonly label: string
  readonly isHidden: boolean
}

async function createCall(context: ServerContext, draft: CallDraft): Promise<HostedCall> {
  const { name, key, created, message, label, isHidden } = draft
  const { owner } = context.principal()
  const session = key === undefined ? context.ids.uuid() : idFromKey('mcp', owner, key)
  const id = firstId(session)
  const archived: readonly SessionEvent[] = isHidden
    ? [{ type: 'session.updated', ts: created.ts, archived: true }]
    : []
  await context.sessions.append({
    writes: [
      {
        session,
        create: true,
        events: [created, toMessage(context, id, message), ...archived],
        state: 'running',
        index: {
          ...toIndex(message.content, created.title !== undefined),
          ...(created.title === undefined ? {} : { title: created.title }),
          labels: { ...sessionLabels(created), [label]: name, ...(isHidden ? { [ARCHIVED]: '1' } : {}) },
        },
      },
    ],
    wakes: true,
    ...(key === undefined ? {} : { compare: recorded => compareCalls(recorded, created) }),
  })
  return { id, session_id: session, name, isAgent: label === AGENT_LABEL, ...startedNow(context) }
}

function compareCalls(recorded: SessionEvent, { metadata }: CreatedEvent): AppError | undefined {
  if (recorded.type === 'session.created' && isSameInput(recorded.metadata, metadata)) return undefined
  return new AppError('conflict', 'This idempotency key was used for another call.')
}

interface FurtherMessage {
  readonly name: string
  readonly session_id: string
  readonly message: MessageFields
  readonly key: string | undefined
}

async function continueCall(context: ServerContext, further: FurtherMessage): Promise<HostedCall> {
  const { name, session_id, message, key } = further
  const row = await findSession(context, session_id)
  if (row.labels[AGENT_LABEL] !== name)
    throw new AppError('session_not_found', `No conversation with the agent ${name} has this session_id.`)
  const fresh = toMessage(context, `${session_id}.${context.ids.prefixed('r')}`, message)
  const { items } = await context.sessions.append({
    writes: [{ session: session_id, events: [fresh], key: `mcp:${key ?? fresh.run_id}`, state: 'running' }],
    wakes: true,
    compare: recorded =>
      recorded.type === 'input.message' && isSameInput(recorded.content, fresh.content)
        ? undefined
        : new AppError('conflict', 'This idempotency key was used for another message.'),
  })
  const id = items[0]?.recorded?.run_id ?? fresh.run_id
  return { id, session_id, name, isAgent: true, ...startedNow(context) }
}

function startedNow({ clock }: ServerContext): Pick<HostedCall, 'createdAt' | 'updatedAt'> {
  const now = clock.now().getTime()
  return { createdAt: now, updatedAt: now }
}

function toMessage(
  { clock, ids }: ServerContext,
  run_id: string,
  fields: MessageFields,
): EventOf<'input.message'> & { readonly run_id: string } {
  return {
    type: 'input.message',
    ts: clock.now().toISOString(),
    run_id,
    message_id: ids.prefixed('msg_'),
    role: 'user',
    via: VIA,
    ...fields,
  }
}

/** The call that a session of the MCP server holds; undefined for other sessions, and ids that it does not have. */
export function toCallOf(
  { id: session_id, labels, createdAt, updatedAt }: SessionRow,
  id: string,
): HostedCall | undefined {
  const agent = labels[AGENT_LABEL]
  const times = { createdAt, updatedAt }
  if (agent !== undefined) return { id, session_id, name: agent, isAgent: true, ...times }
  const tool = labels[TOOL_LABEL]
  if (tool === undefined || id !== firstId(session_id)) return undefined
  return { id, session_id, name: tool, isAgent: false, ...times }
}

const firstId = (session: string): string => `${session}.1`
