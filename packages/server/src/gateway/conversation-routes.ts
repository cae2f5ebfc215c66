/** /v1/conversations: conversations of the Responses API and their items. */
import { AppError } from '@toolwire/core'
import { z } from 'zod'
import { defineRoute, type Route } from '../http/route.ts'
import { json } from '../openapi/operation.ts'
import {
  ConversationShape,
  DeletedShape,
  ItemListShape,
  ItemShape,
} from '../openapi/shapes/responses-shapes.ts'
import { type Conversation, createConversations } from './conversations.ts'
import { LIST_QUERY, listItems } from './list-items.ts'

const MAX_ITEMS = 20
const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine(pairs => Object.keys(pairs).length <= 16, 'at most 16 pairs')
  .nullish()
const items = z.array(z.looseObject({ type: z.string().max(64).optional() })).max(MAX_ITEMS)
const shared = { scope: 'gateway', tag: 'Gateway', errorShape: 'responses', sharedByOwner: true } as const
const responses = { 200: json(ConversationShape, 'The conversation.') }

export const conversationRoutes: readonly Route[] = [
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/v1/conversations',
    id: 'createConversation',
    summary: 'Creates a conversation',
    body: z.object({ items: items.nullish(), metadata }).meta({ id: 'NewConversation' }),
    errors: ['bad_request'],
    responses,
    handle: async (exchange, { gateway }) => {
      const body = exchange.parseBody()
      const start = { items: body.items ?? [], metadata: body.metadata ?? {} }
      return toShape(await createConversations(gateway).create(start))
    },
  }),
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/v1/conversations/:id',
    id: 'getConversation',
    summary: 'A conversation',
    errors: ['not_found'],
    responses,
    handle: async ({ params }, { gateway }) => toShape(await createConversations(gateway).get(params.id)),
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/v1/conversations/:id',
    id: 'changeConversation',
    summary: 'Changes the metadata of a conversation',
    body: z.object({ metadata }).meta({ id: 'ConversationChange' }),
    errors: ['bad_request', 'not_found'],
    responses,
    handle: async (exchange, { gateway }) => {
      const change = exchange.parseBody()
      return toShape(await createConversations(gateway).change(exchange.params.id, change.metadata ?? {}))
    },
  }),
  defineRoute({
    ...shared,
    method: 'DELETE',
    path: '/v1/conversations/:id',
    id: 'deleteConversation',
    summary: 'Deletes a conversation; its session stays',
    errors: ['not_found'],
    responses: { 200: json(DeletedShape, 'It is deleted.') },
    handle: async ({ params }, { gateway }) => {
      await createConversations(gateway).remove(params.id)
      return { id: params.id, object: 'conversation.deleted', deleted: true }
    },
  }),
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/v1/conversations/:id/items',
    id: 'listConversationItems',
    summary: 'The items of a conversation',
    query: LIST_QUERY,
    errors: ['bad_request', 'not_found'],
    responses: { 200: json(ItemListShape, 'One page, the newest first.') },
    handle: async (exchange, { gateway }) => {
      const conversations = createConversations(gateway)
      const found = await conversations.get(exchange.params.id)
      return listItems(await conversations.items(found), exchange.parseQuery())
    },
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/v1/conversations/:id/items',
    id: 'addConversationItems',
    summary: 'Adds items to a conversation',
    body: z.object({ items: items.min(1) }).meta({ id: 'NewConversationItems' }),
    errors: ['bad_request', 'not_found'],
    responses: { 200: json(ItemListShape, 'The added items.') },
    handle: async (exchange, { gateway }) => {
      const { id } = exchange.params
      const added = exchange.parseBody()
      const conversations = createConversations(gateway)
      const before = (await conversations.items(await conversations.get(id))).length
      const all = await conversations.items(await conversations.add(id, added.items))
      return listItems(all.slice(before), { order: 'asc', limit: '100' })
    },
  }),
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/v1/conversations/:id/items/:item',
    id: 'getConversationItem',
    summary: 'One item of a conversation',
    errors: ['not_found'],
    responses: { 200: json(ItemShape, 'The item.') },
    handle: async ({ params }, { gateway }) => {
      const conversations = createConversations(gateway)
      const all = await conversations.items(await conversations.get(params.id))
      const found = all.find(item => item.id === params.item)
      if (found) return found
      throw new AppError('not_found', 'No item of this conversation has the id.')
    },
  }),
]

const toShape = ({ id, created_at, metadata: pairs }: Conversation) => ({
  id,
  object: 'conversation',
  created_at,
  metadata: pairs,
})
