/** The sessions behind the MCP server: a call is appended to a session, and its log is followed. */
import {
  AppError,
  type CallHost,
  type FollowOptions,
  type HostedCall,
  type HostedOutcome,
} from '@toolwire/core'
import { appendAnswers, cancelSession } from '@toolwire/session'
import { mcpWire, withOptions } from '@toolwire/wire'
import { loadGroupSecret } from '../access/group-secret.ts'
import { actFor, mustHave, type Principal } from '../access/principal.ts'
import type { GatewayContext } from '../gateway/gateway-context.ts'
import { findRow } from '../sessions/find-session.ts'
import { outcomeSink } from './outcome-sink.ts'
import { startAgentCall, startToolCall, toCallOf } from './start-call.ts'

const agentWire = withOptions(mcpWire, { agent: true })

/** Every method acts for the request's principal. */
export function createCallHost(context: GatewayContext): CallHost {
  const { principal, ports, gatewayRecords } = context
  return {
    caller() {
      const { owner, key_id } = principal()
      return JSON.stringify([owner, key_id])
    },
    mayApprove: () => principal().scopes.has('approve') || principal().scopes.has('admin'),
    tools: () =>
      ports.listTools().map(({ name, description = '', input_schema, effect, destructive = false }) => ({
        name,
        description,
        input_schema,
        isReadOnly: effect === 'reads',
        isDestructive: destructive,
      })),
    start: request => startToolCall(context, request),
    startAgent: request => startAgentCall(context, request),
    async find(id) {
      const session = /^([A-Za-z0-9_-]{1,128})\.\w{1,64}$/.exec(id)?.[1]
      const row = session === undefined ? undefined : await findRow(context.store, session)
      return row && toCallOf(row, id)
    },
    follow: (call, options) => follow(context, call, options),
    peek(call) {
      const idle = new AbortController()
      return follow(context, call, { signal: idle.signal, onIdle: () => idle.abort() })
    },
    async answer(call, item, { decision, answer_text }) {
      if (!(await isQuestion(context, call.session_id, item))) mustHave(principal(), 'approve')
      await appendAnswers(context.sessions, call.session_id, {
        outputs: [],
        approvals: [{ approval_id: item, decision, ...(answer_text === undefined ? {} : { answer_text }) }],
        protocol: 'mcp',
        by: principal().key_id ?? 'client',
      })
    },
    async cancel({ session_id }, reason) {
      await cancelSession(context.sessions, session_id, reason)
    },
    secret: () => loadGroupSecret(gatewayRecords, 'mcp_secret', 'state'),
  }
}

/** The host for one principal, also outside of requests. */
export function actAs(principal: Principal, host: CallHost): CallHost {
  const act = <T>(work: () => T): T => actFor(principal, work)
  return {
    caller: () => act(() => host.caller()),
    mayApprove: () => act(() => host.mayApprove()),
    tools: () => act(() => host.tools()),
    start: request => act(() => host.start(request)),
    startAgent: request => act(() => host.startAgent(request)),
    find: id => act(() => host.find(id)),
    follow: (call, options) => act(() => host.follow(call, options)),
    peek: call => act(() => host.peek(call)),
    answer: (call, item, answer) => act(() => host.answer(call, item, answer)),
    cancel: (call, reason) => act(() => host.cancel(call, reason)),
    secret: () => host.secret(),
  }
}

async function isQuestion({ sessions }: GatewayContext, session: string, item: string): Promise<boolean> {
  const { approvals } = await sessions.facts(session)
  return approvals.find(one => one.approval_id === item)?.request.kind === 'question'
}

async function follow(
  { sessions }: GatewayContext,
  { id, session_id, isAgent }: HostedCall,
  { signal, onProgress, after, onIdle }: FollowOptions & { readonly onIdle?: () => void },
): Promise<HostedOutcome> {
  const sink = outcomeSink(signal, { onProgress, ...(onIdle ? { onIdle } : {}) })
  const { type, seq } = await sessions.follow(
    {
      session: session_id,
      wire: isAgent ? agentWire : mcpWire,
      target: { kind: 'conversation', conversation_id: id },
      // All frames of the pause are known.
      cursor: { seq: after ?? 0, k: Number.MAX_SAFE_INTEGER },
      ...(after === undefined ? {} : { awaitsResume: true }),
      until: signal,
    },
    sink,
  )
  if (type === 'deleted' || type === 'unknown') throw new AppError('session_deleted')
  const latest = sink.latest()
  if (type !== 'complete' || !latest) return { type: 'running' }
  return latest.type === 'paused' ? { ...latest, position: seq } : latest
}
