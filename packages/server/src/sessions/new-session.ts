/** The first event of a session, however it is asked for. */
import type { EventOf } from '@toolwire/core'
import type { SessionAgent } from '../agents/session-agent.ts'
import type { ServerContext } from '../context.ts'
import { chooseWorkspace } from './choose-workspace.ts'
import { defaultModel } from './default-model.ts'
import { type PromptBody, toPromptFields } from './session-prompt.ts'

type OpeningEvent = EventOf<'session.created'>

export interface OpeningFields extends PromptBody {
  readonly title?: string | null | undefined
  readonly model?: string | null | undefined
  readonly workspace?: string | null | undefined
  readonly workspace_path?: string | null | undefined
  readonly permission_mode?: OpeningEvent['permission_mode'] | null | undefined
  readonly effort?: OpeningEvent['effort'] | null | undefined
  readonly tools?: readonly string[] | null | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
}

/** With the server's defaults for the fields that the request leaves open. */
export function toCreated(
  context: ServerContext,
  body: OpeningFields,
  agent?: SessionAgent,
): EventOf<'session.created'> {
  const { settings } = context
  const effort = body.effort ?? settings.effort
  return {
    type: 'session.created',
    ts: context.clock.now().toISOString(),
    cwd: chooseWorkspace(context, body.workspace ?? body.workspace_path ?? undefined),
    model: body.model ?? defaultModel(context),
    tools: body.tools ? [...body.tools] : [...settings.toolNames],
    permission_mode: body.permission_mode ?? settings.permissionMode,
    ...(effort === undefined ? {} : { effort }),
    ...(body.title ? { title: body.title } : {}),
    ...toPromptFields(body),
    ...(body.metadata ? { metadata: { ...body.metadata } } : {}),
    ...(agent ? { agent: agent.pinned } : {}),
  }
}

/** Fields of the request come before those of its agent. */
export function withAgent(body: OpeningFields, { config }: SessionAgent): OpeningFields {
  const { description: _, fallback_models: __, limits: ___, metadata: ____, ...fields } = config
  const chosen = Object.entries(body).filter(([, value]) => value !== null && value !== undefined)
  return { ...fields, ...Object.fromEntries(chosen) }
}
