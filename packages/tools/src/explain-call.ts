/** Explains the outcome of a call in a session without making it: lookup, arguments, permission. */
import type { CallState, SessionState, ToolHost, ToolScope } from '@toolwire/core'
import { type CallWork, type ContextSettings, openCall } from './calls/call-context.ts'
import { checkCall } from './calls/preflight.ts'
import { explainPermission, type PermissionExplanation } from './permissions/explain-permission.ts'
import type { Permissions } from './permissions/permissions.ts'
import { toMode } from './permissions/policy.ts'
import type { Registry } from './registry.ts'

export interface ExplainRequest {
  readonly session_id: string
  /** The state that decides: mode, workspace, remembered rules. */
  readonly session: SessionState
  readonly tool: string
  readonly input: unknown
  /** The kind of agent that would make it; the session's own when absent. */
  readonly agent?: string
  /** The directories that the asker may see; nothing else is looked at. Anywhere when absent. */
  readonly within?: readonly string[]
}

export interface ExplainDeps {
  readonly registry: Registry
  readonly contexts: ContextSettings
  readonly permissions: Pick<Permissions, 'judge'>
}

/** A call that no tool could take is a denial that says why. */
export async function explainCall(
  { session_id, session, tool: name, input, agent, within }: ExplainRequest,
  { registry, contexts, permissions }: ExplainDeps,
): Promise<PermissionExplanation> {
  const scope: ToolScope = { session_id, session: () => session, agent: () => session }
  const call = toCall(name, input)
  const checked = checkCall(call, scope, registry)
  const mode = toMode(session.permission_mode)
  switch (checked.type) {
    case 'failed': {
      const { code, message } = checked.failure.error
      return { tool: name, decision: 'deny', reason: message, code, mode }
    }
    case 'client':
      return { tool: name, decision: 'allow', reason: 'The client runs it.', mode }
    case 'server': {
      const asker = agent === undefined ? {} : { asker: { kind: agent } }
      const work = { ...openExplained(call, scope, contexts, within), ...asker }
      return await explainPermission(checked.tool, checked.input, work, permissions)
    }
  }
}

/** The surroundings of a call that is only explained. */
export function openExplained(
  call: CallState,
  scope: ToolScope,
  contexts: ContextSettings,
  within: readonly string[] | undefined,
): CallWork {
  const work = openCall(call, scope, SILENT, contexts)
  return within === undefined ? work : { ...work, context: { ...work.context, within } }
}

/** A hypothetical call. */
export const toCall = (name: string, input: unknown): CallState => ({
  call_id: 'explained',
  name,
  message_id: '',
  block_id: '',
  tool_type: 'function',
  executor: 'server',
  input_text: JSON.stringify(input ?? {}),
  ready: true,
})

/** Says nothing and remembers nothing. */
const SILENT: ToolHost = {
  emit: () => undefined,
  commit: async () => {},
  stamp: () => ({ ts: new Date(0).toISOString() }),
  signal: new AbortController().signal,
  epoch: 0,
  newId: prefix => prefix,
}
