/**
 * Everything that can be known about a call before it runs, in the order of the layers:
 * cut off, lookup, arguments, schema, crash, permission. Answers with what to do next.
 */
import type { Access, CallState, Tool, ToolScope, ToolSpec } from '@toolwire/core'
import { createSchemaCheck } from '../checks/json-schema.ts'
import { parseArguments } from '../checks/parse-arguments.ts'
import type { BeforeResult } from '../hooks/hooks.ts'
import type { Verdict } from '../permissions/verdict.ts'
import type { Registry, ToolLookup } from '../registry.ts'
import { badJson, type CallFailure, invalidInput, toolChanged, torn, unknownTool } from '../tool-failure.ts'
import type { CallWork } from './call-context.ts'
import type { Ticket } from './locks.ts'

/** Arguments, with whom they are for: they parse and fit, unless their client takes them as they are. */
export type CheckedCall =
  | { readonly type: 'server'; readonly tool: Tool; readonly input: unknown }
  | {
      readonly type: 'client'
      readonly spec: ToolSpec
      /** There when the server offers the tool. */
      readonly tool?: Tool
      readonly input: unknown
      /** The validation error, where the client accepts the arguments nevertheless. */
      readonly problem?: string
    }
  | { readonly type: 'failed'; readonly failure: CallFailure }

/** Pure but for the registry. `input_text` replaces the call's own when an approver edited it. */
export function checkCall(
  call: CallState,
  scope: ToolScope,
  registry: Registry,
  input_text = call.input_text,
): CheckedCall {
  const found = registry.find(call.name, scope)
  if (found.type === 'missing')
    return { type: 'failed', failure: unknownTool(call.name, found.suggestions, found.why) }
  if (
    found.type === 'server' &&
    isAnother(found.tool, call.definition ?? registry.definitionTold(call.name, scope))
  )
    return { type: 'failed', failure: toolChanged(call.name) }
  const parsed = parseArguments(input_text)
  if (wasBroken(scope) && (!parsed.ok || isTorn(call))) return { type: 'failed', failure: torn() }
  if (found.type === 'client' && found.spec.as_is) return checkLeniently(found, parsed)
  if (!parsed.ok) return { type: 'failed', failure: badJson(parsed.message) }
  const checked = found.type === 'server' ? found.tool.check(parsed.input) : clientCheck(found)(parsed.input)
  if (!checked.ok) return { type: 'failed', failure: invalidInput(call.name, checked.problems) }
  return found.type === 'server'
    ? { type: 'server', tool: found.tool, input: checked.input }
    : { ...found, input: checked.input }
}

function checkLeniently(
  found: Extract<ToolLookup, { type: 'client' }>,
  parsed: ReturnType<typeof parseArguments>,
): CheckedCall {
  const client = { type: 'client', spec: found.spec } as const
  if (!parsed.ok) return { ...client, input: null, problem: parsed.message }
  const checked = clientCheck(found)(parsed.input)
  if (checked.ok) return { ...client, input: checked.input }
  return { ...client, input: parsed.input, problem: invalidInput('', checked.problems).error.message }
}

/** True if the tool's definition changed since the model made the call. */
const isAnother = ({ definition }: Tool, told: string | undefined): boolean =>
  definition !== undefined && told !== undefined && told !== definition

/** The output limit was hit in this message: no call of it that has not begun may run. */
export function isTruncated(call: CallState, scope: ToolScope): boolean {
  if (call.started || call.client) return false
  return scope.agent().run?.last?.finish === 'length'
}

const wasBroken = (scope: ToolScope): boolean => scope.agent().run?.last?.stop_reason === 'stream_broken'

/** Its arguments never came to an end: that they are empty so far does not mean that it has none. */
const isTorn = ({ ready, input_text }: CallState): boolean => !ready && input_text === ''

type ClientCheck = ReturnType<typeof createSchemaCheck>
const clientChecks = new WeakMap<ToolSpec, ClientCheck>()

function clientCheck({ spec }: Extract<ToolLookup, { type: 'client' }>): ClientCheck {
  const known = clientChecks.get(spec)
  if (known) return known
  const check = createSchemaCheck(spec.input_schema)
  clientChecks.set(spec, check)
  return check
}

/** A server call that may be scheduled: what it touches and what the policy says of it. */
export interface CallPlan {
  readonly work: CallWork
  readonly tool: Tool
  readonly input: unknown
  readonly access: readonly Access[]
  readonly verdict: Verdict
  /** The hooks' output before the call. */
  readonly said?: BeforeResult
  /** Calls that it conflicts with ran between the verdict and now. */
  readonly hasWaited?: boolean
}

/** Its resources; undeclared means everything, and a failed declaration means writing everything. */
export async function accessOf(tool: Tool, input: unknown, work: CallWork): Promise<readonly Access[]> {
  try {
    const declared = await tool.access?.(input, work.context)
    if (declared) return declared
  } catch {
    return [{ key: '*', mode: 'write' }]
  }
  return [{ key: '*', mode: tool.isReadOnly(input, work.context) ? 'read' : 'write' }]
}

/** The call's place in the order of all calls. */
export const toTicket = ({ call, scope }: CallWork, access: readonly Access[]): Ticket => ({
  id: call.call_id,
  session: scope.session_id,
  agent: agentKey(scope),
  access,
})

/** Names an agent in the whole process. */
export const agentKey = ({ session_id, agent_run_id = '' }: ToolScope): string =>
  `${session_id}/${agent_run_id}`
