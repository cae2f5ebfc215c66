/**
 * Requests that bring no tools although their conversation holds calls. Results continue a waiting run with its
 * own settings. Elsewhere the latest tools are declared again, and none may be called: providers reject such a
 * history without tools, and their caches still fit.
 */
import type { EventOf, SessionRow } from '@toolwire/core'
import type { GatewayRequest } from '@toolwire/wire'
import type { GatewayContext, Setup } from './gateway-context.ts'
import { toSettings } from './setup.ts'

export interface RedeclaredTools {
  /** For the run that waits: undefined if the request asks for other settings. */
  readonly waiting: Setup | undefined
  readonly other: Setup
}

/** Undefined if there is nothing to declare, or the session never had tools. */
export async function redeclareTools(
  context: GatewayContext,
  request: GatewayRequest,
  setup: Setup,
  source: SessionRow | undefined,
): Promise<RedeclaredTools | undefined> {
  if (!source || setup.client_tools.length > 0 || !hasCalls(request)) return undefined
  const run = await latestRun(context, source)
  if (!run) return undefined
  const { client_tools, model, options = {} } = run
  const isOther = (name: string, value: unknown): boolean =>
    JSON.stringify(options[name]) !== JSON.stringify(value)
  const fits =
    (request.model === undefined || request.model === model) &&
    !Object.entries(toSettings(setup.options)).some(([name, value]) => isOther(name, value))
  return {
    waiting: fits ? { ...setup, client_tools, model, options } : undefined,
    other: { ...setup, client_tools, options: { ...setup.options, tool_choice: { type: 'none' } } },
  }
}

const hasCalls = ({ history }: GatewayRequest): boolean =>
  history.some(
    message => message.role === 'assistant' && message.content.some(part => part.type === 'tool_use'),
  )

/** The latest run with client tools. */
async function latestRun(
  { sessions }: GatewayContext,
  { id }: SessionRow,
): Promise<EventOf<'run.started'> | undefined> {
  const { toolsAt } = await sessions.facts(id)
  if (toolsAt === undefined) return undefined
  const [rec] = await sessions.reader.read(id, toolsAt - 1, 1)
  return rec?.ev.type === 'run.started' ? rec.ev : undefined
}
