/** Branches of a session: another answer, another question, and the choice between them. */
import { activeBranch, type Facts, MAIN_BRANCH } from '@toolwire/core'
import { type BranchedMessage, selectBranchOf } from '@toolwire/session'
import { EditBody, RegenerateBody, toLimits } from '@toolwire/wire'
import type { z } from 'zod'
import { recordAudit } from '../access/record-audit.ts'
import { openVersion, previewVersion, type VersionRequest } from '../branches/open-branch.ts'
import type { ServerContext } from '../context.ts'
import { CONVERSATION_LABELS } from '../gateway/session-index.ts'
import type { Exchange } from '../http/exchange.ts'
import { readIdempotencyKey } from '../http/idempotency-key.ts'
import { reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { json, SESSION_ERRORS } from '../openapi/operation.ts'
import { BranchList, BranchPreview, OpenedBranch } from '../openapi/shapes/branch-shapes.ts'
import { checkModels } from '../sessions/check-models.ts'
import { findSession } from '../sessions/find-session.ts'

const OPENING_ERRORS = [
  'bad_request',
  'unknown_model',
  'missing_key',
  'message_not_found',
  'session_running',
  'conflict',
  'limit_reached',
  ...SESSION_ERRORS,
] as const
const OPENING = {
  method: 'POST',
  scope: 'write',
  tag: 'Sessions',
  headers: ['Idempotency-Key'],
  errors: OPENING_ERRORS,
  responses: {
    200: json(BranchPreview, 'With `effects: ask`: what the replaced part did. Nothing is changed.'),
    201: json(OpenedBranch, 'The branch. Its run starts at once.'),
  },
} as const

export const branchRoutes: readonly Route[] = [
  defineRoute({
    ...OPENING,
    path: '/api/sessions/:id/regenerate',
    id: 'regenerate',
    summary: 'Ask for another answer to a message',
    description:
      'The earlier answer stays in its own branch. Without `message_id` the latest answer is replaced.',
    body: RegenerateBody.meta({ id: 'Regenerate' }),
    isBodyOptional: true,
    handle: async (exchange, context) => {
      const row = await findSession(context, exchange.params.id)
      const body = exchange.parseBody()
      return await open(context, exchange, body, {
        session: row.id,
        message_id: body.message_id ?? undefined,
      })
    },
  }),
  defineRoute({
    ...OPENING,
    path: '/api/sessions/:id/messages/:message/edit',
    id: 'editMessage',
    summary: 'Say something else in the place of a message',
    description: 'The earlier message, and everything after it, stays in its own branch.',
    body: EditBody.meta({ id: 'EditMessage' }),
    handle: async (exchange, context) => {
      const row = await findSession(context, exchange.params.id)
      const { content, ...body } = exchange.parseBody()
      return await open(context, exchange, body, {
        session: row.id,
        message_id: exchange.params.message,
        content,
      })
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/branches',
    scope: 'read',
    id: 'listBranches',
    tag: 'Sessions',
    summary: 'List the branches of a session',
    errors: SESSION_ERRORS,
    responses: { 200: json(BranchList, 'All of them, in the order in which they were opened.') },
    handle: async (exchange, context) => {
      const row = await findSession(context, exchange.params.id)
      return { session_id: row.id, ...toList(await context.sessions.facts(row.id)) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/branches/:branch/select',
    scope: 'write',
    id: 'selectBranch',
    tag: 'Sessions',
    summary: 'Continue another branch',
    description: 'The session must be idle. Files stay as they are.',
    errors: ['branch_not_found', 'session_running', ...SESSION_ERRORS],
    responses: { 200: json(BranchList, 'The branches with the new active one.') },
    handle: async (exchange, context) => {
      const row = await findSession(context, exchange.params.id)
      const branch_id = exchange.params.branch
      const by = context.principal().key_id ?? 'client'
      await selectBranchOf(context.sessions, { session: row.id, branch_id, by }, CONVERSATION_LABELS)
      await recordAudit(context, 'branch.selected', { session_id: row.id, details: { branch_id } })
      return { session_id: row.id, ...toList(await context.sessions.facts(row.id)) }
    },
  }),
]

type Body = Omit<z.output<typeof RegenerateBody>, 'message_id'>

async function open(
  context: ServerContext,
  exchange: Exchange,
  body: Body,
  target: Pick<VersionRequest, 'session' | 'message_id' | 'content'>,
) {
  const { effects, background, interrupt, model, options } = body
  const session_id = target.session
  if (effects === 'ask')
    return { session_id, effects: await previewVersion(context, session_id, target.message_id) }
  const changes: BranchedMessage = {
    ...toLimits(body),
    ...(model ? { model } : {}),
    ...(options ? { options } : {}),
    via: { protocol: 'api' },
  }
  checkModels(context, changes)
  const key = readIdempotencyKey(exchange)
  const { seq: _, ...version } = await openVersion(context, {
    ...target,
    changes,
    effects,
    background,
    interrupt,
    key,
  })
  return reply(201, { session_id, ...version })
}

function toList({ branches }: Facts) {
  const main = { branch_id: MAIN_BRANCH, parent_branch_id: null }
  const opened = (branches?.opened ?? []).map(({ seq: _, ...branch }) => branch)
  return { active: activeBranch(branches), branches: [main, ...opened] }
}
