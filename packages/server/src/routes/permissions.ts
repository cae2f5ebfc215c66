/** Permissions: the rules that count, setting and taking back, and why a call would be allowed, asked about or denied. */
import {
  AppError,
  type EventOf,
  initial,
  readPages,
  type SessionEvent,
  type SessionState,
} from '@toolwire/core'
import { parseBody } from '@toolwire/wire'
import { z } from 'zod'
import { recordAudit } from '../access/record-audit.ts'
import type { ServerContext } from '../context.ts'
import { reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { json, SESSION_ERRORS } from '../openapi/operation.ts'
import { Explained, PermissionList, Rehearsed, RevokedRule, SetRule } from '../openapi/shapes/tool-shapes.ts'
import type { ListedRule, PermissionPort, RehearseRequest } from '../ports.ts'
import { chooseWorkspace, withinRoots } from '../sessions/choose-workspace.ts'
import { findSession } from '../sessions/find-session.ts'

const sessionId = z.string().min(1).max(128)
const ListQuery = z.object({ session_id: sessionId.optional() })
const ruleText = z.string().min(1).max(1000)
const decision = z.enum(['allow', 'ask', 'deny'])
const RuleBody = z.object({
  rule: ruleText,
  decision,
  /** `session` needs the query's session_id; `project` is for all sessions that work in the same folder. */
  scope: z.enum(['session', 'project']),
  /** Applies until then; permanent if absent. */
  expires_at: z.iso.datetime({ offset: true }).nullish(),
})
const RehearseBody = z.object({
  rule: ruleText,
  decision: decision.nullish(),
  /** Whose calls it is tried on; none without it. */
  session_id: sessionId.nullish(),
})
const ExplainBody = z.object({
  tool: z.string().min(1).max(256),
  input: z.unknown().optional(),
  /** Its mode, workspace and remembered rules decide; the server's defaults without it. */
  session_id: z.string().min(1).max(128).nullish(),
  permission_mode: z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']).nullish(),
  /** The kind of agent that would make the call; the session's own without it. */
  agent: z.string().min(1).max(128).nullish(),
})

export const permissionRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/permissions',
    scope: 'read',
    id: 'listPermissions',
    tag: 'Permissions',
    summary: 'The rules that count, for a session or for new ones',
    query: ListQuery,
    errors: ['bad_request', 'not_found', ...SESSION_ERRORS],
    responses: { 200: json(PermissionList, 'Rules with where they come from.') },
    handle: async (exchange, context) => {
      const { session_id } = exchange.parseQuery()
      const session = await stateOf(context, session_id)
      const rules = await portOf(context).list(session)
      return {
        mode: session.permission_mode,
        workspace: session.created?.cwd ?? null,
        rules: rules.filter(rule => rule.source !== 'session'),
        grants: rules.filter(rule => rule.source === 'session'),
      }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/permissions',
    scope: 'admin',
    id: 'addPermission',
    tag: 'Permissions',
    summary: 'Set a rule for a session or its project',
    query: ListQuery,
    body: RuleBody.meta({ id: 'PermissionWish' }),
    errors: ['bad_request', 'not_found', 'conflict', ...SESSION_ERRORS],
    responses: { 201: json(SetRule, 'The rule as it is kept.') },
    handle: async (exchange, context) => {
      const { session_id } = exchange.parseQuery()
      return reply(201, { rule: await setRule(context, session_id, exchange.parseBody()) })
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/permissions/:id',
    scope: 'admin',
    id: 'changePermission',
    tag: 'Permissions',
    summary: 'Put a rule in the place of another',
    query: ListQuery,
    body: RuleBody.meta({ id: 'PermissionWish' }),
    errors: ['bad_request', 'not_found', 'conflict', ...SESSION_ERRORS],
    responses: { 200: json(SetRule, 'The rule as it is kept.') },
    handle: async (exchange, context) => {
      const { session_id } = exchange.parseQuery()
      return { rule: await setRule(context, session_id, exchange.parseBody(), exchange.params.id) }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/permissions/:id',
    scope: 'admin',
    id: 'revokePermission',
    tag: 'Permissions',
    summary: 'Take a rule back',
    query: ListQuery,
    errors: ['bad_request', 'not_found', 'conflict', ...SESSION_ERRORS],
    responses: { 200: json(RevokedRule, 'The rule that is gone.') },
    handle: async (exchange, context) => {
      const { session_id } = exchange.parseQuery()
      return await revoke(context, session_id, exchange.params.id)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/permissions/explain',
    scope: 'read',
    id: 'explainPermission',
    tag: 'Permissions',
    summary: 'Why a call would be allowed, asked about or denied, or what a rule would have changed',
    description: 'Nothing is run, recorded or remembered.',
    body: z
      .union([ExplainBody.meta({ id: 'ExplainCall' }), RehearseBody.meta({ id: 'RehearseRule' })])
      .meta({ id: 'ExplainRequest' }),
    errors: ['bad_request', 'not_found', ...SESSION_ERRORS],
    responses: {
      200: json(z.union([Explained, Rehearsed]), 'What decides, or what the rule would let through.'),
    },
    handle: async ({ body }, context) => {
      if (typeof body === 'object' && body !== null && 'rule' in body)
        return await rehearse(context, parseBody(RehearseBody, body))
      return await explain(context, parseBody(ExplainBody, body))
    },
  }),
]

/** Nothing is run, recorded or remembered. */
async function explain(context: ServerContext, body: z.output<typeof ExplainBody>) {
  const { explainPermission } = context.ports
  if (!explainPermission) throw new AppError('not_found', 'This server explains no permissions.')
  const { tool, input, session_id, permission_mode, agent } = body
  const state = await stateOf(context, session_id ?? undefined)
  const session = permission_mode ? { ...state, permission_mode } : state
  const asker = agent ? { agent } : {}
  return await explainPermission({
    session_id: session_id ?? '',
    session,
    tool,
    input: input ?? {},
    ...asker,
    ...withinRoots(context),
  })
}

/** The effect that a rule would have had on the session's calls. */
async function rehearse(context: ServerContext, body: z.output<typeof RehearseBody>) {
  const { rule, decision, session_id } = body
  const session = await stateOf(context, session_id ?? undefined)
  const calls = session_id ? await callsOf(context, session_id) : []
  const wish = { rule, ...(decision ? { decision } : {}) }
  return await portOf(context).rehearse({
    session_id: session_id ?? '',
    session,
    ...wish,
    calls,
    ...withinRoots(context),
  })
}

async function callsOf(context: ServerContext, session_id: string): Promise<readonly MadeCall[]> {
  const calls: MadeCall[] = []
  const kinds: Kinds = new Map([[undefined, 'main']])
  for await (const records of readPages(context.sessions.reader, session_id, { after: 0 }))
    for (const { ev } of records) calls.push(...callsIn(ev, kinds))
  return calls
}

type MadeCall = RehearseRequest['calls'][number]
/** The kinds of agents by their ids; the session's own has none. */
type Kinds = Map<string | undefined, string | undefined>

/** The server tool call of an event, if any. Collects the agents on the way. */
function callsIn(ev: SessionEvent, kinds: Kinds): readonly MadeCall[] {
  if (ev.type === 'agent.started') kinds.set(ev.agent_run_id, ev.agent_type)
  if (ev.type !== 'tool.ready' || ev.executor !== 'server') return []
  const agent = kinds.get(ev.agent_run_id)
  const { call_id, name, input } = ev
  return [{ call_id, name, input, ...(agent === undefined ? {} : { agent }) }]
}

/**
 * Setting the same again changes nothing. Throws `not_found` for an unknown rule that was to be replaced, `conflict`
 * for one that only a file can change.
 */
async function setRule(
  context: ServerContext,
  session_id: string | undefined,
  body: z.output<typeof RuleBody>,
  replaces?: string,
): Promise<ListedRule> {
  const { expires_at, ...rest } = body
  if (rest.scope === 'session' && session_id === undefined)
    throw new AppError('bad_request', 'A rule for one session needs session_id.')
  const session = await stateOf(context, session_id)
  const wish = { ...rest, ...(expires_at ? { expires_at } : {}) }
  const done = await portOf(context).set(session, wish, replaces)
  switch (done.type) {
    case 'unknown':
      throw unknownRule()
    case 'fixed':
      throw fixedRule(done.rule)
    case 'set': {
      if (session_id !== undefined) await note(context, session_id, done.notes)
      const { rule, replaced } = done
      await audit(context, `permission_rule.${replaced ? 'changed' : 'added'}`, session_id, {
        ...toDetails(rule),
        ...(replaced ? { before: toDetails(replaced) } : {}),
      })
      return rule
    }
  }
}

const unknownRule = (): AppError => new AppError('not_found', 'No rule has this id here.')
const fixedRule = ({ rule }: ListedRule): AppError =>
  new AppError('conflict', `${rule} is set in a file; change it there.`)

/** In one append, so that a rule that replaces another does so at once. */
async function note(
  { sessions }: ServerContext,
  session: string,
  notes: readonly { readonly name: string; readonly value: unknown }[],
): Promise<void> {
  if (notes.length === 0) return
  const { ts } = sessions.stamp()
  const events = notes.map(one => ({ type: 'note' as const, ts, ...one }))
  await sessions.append({ writes: [{ session, events }], wakes: true })
}

/** Idempotent in effect: a rule that is gone is unknown. Throws `not_found`, or `conflict` for one of a configuration file. */
async function revoke(context: ServerContext, session_id: string | undefined, id: string) {
  const session = await stateOf(context, session_id)
  const revoked = await portOf(context).revoke(session, id)
  switch (revoked.type) {
    case 'unknown':
      throw unknownRule()
    case 'fixed':
      throw fixedRule(revoked.rule)
    case 'note':
      await note(context, session_id ?? '', [{ name: revoked.name, value: null }])
      break
    case 'revoked':
      break
  }
  const { rule, source } = revoked.rule
  await audit(context, 'permission_rule.revoked', session_id, { rule, source })
  return { revoked: revoked.rule }
}

const toDetails = ({ rule, decision, source, expires_at }: ListedRule) => ({
  rule,
  decision,
  source,
  ...(expires_at === undefined ? {} : { expires_at }),
})

const audit = (
  context: ServerContext,
  action: string,
  session_id: string | undefined,
  details: Readonly<Record<string, unknown>>,
): Promise<void> =>
  recordAudit(context, action, { ...(session_id === undefined ? {} : { session_id }), details })

function portOf({ ports }: ServerContext): PermissionPort {
  if (!ports.permissions) throw new AppError('not_found', 'This server lists no permissions.')
  return ports.permissions
}

const stateOf = async (context: ServerContext, session_id: string | undefined): Promise<SessionState> =>
  session_id === undefined ? freshSession(context) : await readSession(context, session_id)

async function readSession(context: ServerContext, id: string): Promise<SessionState> {
  const row = await findSession(context, id)
  return await context.sessions.state(row.id)
}

/** A session as POST /api/sessions would make it without a body. */
function freshSession(context: ServerContext): SessionState {
  const { settings, clock } = context
  const { model, permissionMode, toolNames } = settings
  const created: EventOf<'session.created'> = {
    type: 'session.created',
    ts: clock.now().toISOString(),
    cwd: chooseWorkspace(context),
    model,
    tools: [...toolNames],
    permission_mode: permissionMode,
  }
  return { ...initial(), created, model, permission_mode: permissionMode }
}
