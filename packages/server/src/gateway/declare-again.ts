/**
 * Tools of calls that a conversation holds, when its request brings none any more. Providers refuse
 * such a history without tools; those that the session was asked with are declared again, so that
 * what they cached still fits, and none may be called.
 */
import type { SessionRow, ToolSpec } from '@toolwire/core'
import type { GatewayRequest } from '@toolwire/wire'
import type { GatewayContext, Setup } from './answer-plan.ts'

const PAGE = 1000

/** The setup itself when there is nothing to declare, or nobody knows the tools. */
export async function declareAgain(
  context: GatewayContext,
  request: GatewayRequest,
  setup: Setup,
  known: SessionRow | undefined,
): Promise<Setup> {
  if (!known || setup.client_tools.length > 0 || !hasCalls(request)) return setup
  const client_tools = await latestTools(context, known.id)
  if (client_tools.length === 0) return setup
  return { ...setup, client_tools, options: { ...setup.options, tool_choice: { type: 'none' } } }
}

const hasCalls = ({ history }: GatewayRequest): boolean =>
  history.some(
    message => message.role === 'assistant' && message.content.some(part => part.type === 'tool_use'),
  )

async function latestTools(context: GatewayContext, session: string): Promise<readonly ToolSpec[]> {
  let latest: readonly ToolSpec[] = []
  for (let position = 0; ; ) {
    const records = await context.reader.read(session, position, PAGE)
    for (const { ev } of records)
      if (ev.type === 'run.started' && ev.client_tools.length > 0) latest = ev.client_tools
    if (records.length < PAGE) return latest
    position = records.at(-1)?.seq ?? position
  }
}
