/** Agents: named settings of sessions in versions. /api/agents */
import { AppError, type Records } from '@toolwire/core'
import { z } from 'zod'
import { recordAudit } from '../access/record-audit.ts'
import { type AgentConfig, AgentUpdate, changeConfig, NewAgent } from '../agents/agent-config.ts'
import {
  type AgentRecord,
  addVersion,
  archiveAgent,
  createAgent,
  findAgent,
  latestOf,
  listAgents,
  mustBeActive,
  readConfig,
  versionChanged,
} from '../agents/agent-store.ts'
import { checkConfig } from '../agents/check-config.ts'
import type { ServerContext } from '../context.ts'
import { readIdempotencyKey } from '../http/idempotency-key.ts'
import { reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { json } from '../openapi/operation.ts'
import { AgentPage, AgentVersionPage, AgentView } from '../openapi/shapes/agent-shapes.ts'
import { idFromKey } from '../sessions/id-from-key.ts'

const tag = 'Agents'
const Paging = {
  cursor: z
    .string()
    .regex(/^\d{1,6}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
}

export const agentRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/agents',
    scope: 'write',
    id: 'createAgent',
    sharedByOwner: true,
    tag,
    summary: 'Create an agent',
    headers: ['Idempotency-Key'],
    body: NewAgent.meta({ id: 'NewAgent' }),
    errors: [
      'bad_request',
      'unknown_model',
      'missing_key',
      'forbidden',
      'conflict',
      'limit_reached',
      'not_found',
    ],
    responses: { 201: json(AgentView, 'Version 1 of the agent.') },
    handle: async (exchange, context) => {
      const { name, ...change } = exchange.parseBody()
      const config = changeConfig({}, change)
      checkConfig(context, config)
      const key = readIdempotencyKey(exchange)
      const { owner } = context.principal()
      const id = `agent_${key === undefined ? context.ids.uuid() : idFromKey('agent', owner, key)}`
      const author = authorOf(context)
      const { agent, isNew } = await createAgent(recordsOf(context), { id, name, owner, config, ...author })
      if (isNew) await auditVersion(context, 'agent.created', agent)
      return reply(201, toView(agent, config, latestOf(agent).version))
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/agents',
    scope: 'read',
    id: 'listAgents',
    tag,
    summary: 'List agents by name',
    query: z.object({ ...Paging, archived: z.enum(['true', 'false']).default('false') }),
    errors: ['bad_request', 'not_found'],
    responses: { 200: json(AgentPage, 'The current versions.') },
    handle: async (exchange, context) => {
      const { cursor = '0', limit, archived } = exchange.parseQuery()
      const records = recordsOf(context)
      const all = await listAgents(records, context.principal().owner)
      const wanted = all.filter(agent => (agent.archived_at !== undefined) === (archived === 'true'))
      const { page, next_cursor } = pageOf(wanted, Number(cursor), limit)
      const agents = page.map(async agent => {
        const { config, version } = await readConfig(records, agent)
        return toView(agent, config, version.version)
      })
      return { agents: await Promise.all(agents), next_cursor }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/agents/:id',
    scope: 'read',
    id: 'getAgent',
    tag,
    summary: 'Show a version of an agent',
    description: 'The id may be its name. The current version when `version` is absent.',
    query: z.object({ version: z.coerce.number().int().positive().optional() }),
    errors: ['bad_request', 'not_found'],
    responses: { 200: json(AgentView, 'The version.') },
    handle: async (exchange, context) => {
      const records = recordsOf(context)
      const agent = await findAgent(records, context.principal().owner, exchange.params.id)
      const { config, version } = await readConfig(records, agent, exchange.parseQuery().version)
      return toView(agent, config, version.version)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/agents/:id',
    scope: 'write',
    id: 'updateAgent',
    sharedByOwner: true,
    tag,
    summary: 'Add a version to an agent',
    description:
      'Absent fields stay, null clears one, metadata merges by key. Without a change the current version is the answer. With `if_version` another current version is refused.',
    body: AgentUpdate.meta({ id: 'UpdateAgent' }),
    errors: [
      'bad_request',
      'unknown_model',
      'missing_key',
      'forbidden',
      'conflict',
      'version_changed',
      'limit_reached',
      'not_found',
    ],
    responses: { 200: json(AgentView, 'The current version.') },
    handle: async (exchange, context) => {
      const { if_version, ...change } = exchange.parseBody()
      const records = recordsOf(context)
      const before = await findAgent(records, context.principal().owner, exchange.params.id)
      mustBeActive(before)
      const { config, version } = await readConfig(records, before)
      if (if_version !== undefined && if_version !== version.version) throw versionChanged(version.version)
      const next = changeConfig(config, change)
      checkConfig(context, next)
      const agent = await addVersion(records, before.id, {
        config: next,
        base: version.version,
        ...authorOf(context),
      })
      if (latestOf(agent).version !== version.version) await auditVersion(context, 'agent.updated', agent)
      return toView(agent, next, latestOf(agent).version)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/agents/:id/versions',
    scope: 'read',
    id: 'listAgentVersions',
    tag,
    summary: 'List the versions of an agent, the newest first',
    query: z.object(Paging),
    errors: ['bad_request', 'not_found'],
    responses: { 200: json(AgentVersionPage, 'Without their settings.') },
    handle: async (exchange, context) => {
      const { cursor, limit } = exchange.parseQuery()
      const agent = await findAgent(recordsOf(context), context.principal().owner, exchange.params.id)
      // The cursor is a version, so that one that is added meanwhile moves nothing.
      const before = cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor)
      const older = agent.versions.toReversed().filter(({ version }) => version < before)
      const page = older.slice(0, limit)
      return { versions: page, next_cursor: older.length > limit ? String(page.at(-1)?.version) : null }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/agents/:id/archive',
    scope: 'write',
    id: 'archiveAgent',
    sharedByOwner: true,
    tag,
    summary: 'Archive an agent',
    description: 'No new session uses it. Sessions that have it, and its versions, stay.',
    errors: ['not_found'],
    responses: { 200: json(AgentView, 'The archived agent.') },
    handle: async (exchange, context) => {
      const records = recordsOf(context)
      const before = await findAgent(records, context.principal().owner, exchange.params.id)
      const agent = await archiveAgent(records, before.id, context.clock.now().toISOString())
      if (before.archived_at === undefined) await auditVersion(context, 'agent.archived', agent)
      const { config, version } = await readConfig(records, agent)
      return toView(agent, config, version.version)
    },
  }),
]

function recordsOf({ records }: ServerContext): Records {
  if (!records) throw new AppError('not_found', 'This server keeps no records.')
  return records
}

const authorOf = (context: ServerContext) => ({
  by: context.principal().key_id ?? 'operator',
  now: context.clock.now().toISOString(),
})

const auditVersion = (context: ServerContext, action: string, agent: AgentRecord): Promise<void> => {
  const { version, sha256 } = latestOf(agent)
  return recordAudit(context, action, { details: { agent: agent.id, name: agent.name, version, sha256 } })
}

function pageOf<T>(all: readonly T[], from: number, limit: number) {
  const end = from + limit
  return { page: all.slice(from, end), next_cursor: end < all.length ? String(end) : null }
}

function toView({ id, name, versions, archived_at }: AgentRecord, config: AgentConfig, shown: number) {
  const version = versions.find(one => one.version === shown) ?? versions[0]
  return {
    id,
    name,
    version: shown,
    sha256: version?.sha256 ?? '',
    created_at: versions[0]?.created_at ?? '',
    updated_at: version?.created_at ?? '',
    archived_at: archived_at ?? null,
    ...config,
  }
}
