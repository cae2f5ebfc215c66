/** Routes of a response by its id: read, follow, cancel, delete, list its input. */
import { AppError } from '@toolwire/core'
import { collectSink, draftCancel, PATIENT } from '@toolwire/session'
import { responsesWire } from '@toolwire/wire'
import { z } from 'zod'
import { defineRoute, type Route } from '../http/route.ts'
import { either, json } from '../openapi/operation.ts'
import { ResponseShape } from '../openapi/shapes/answer-shapes.ts'
import { DeletedShape, ItemListShape } from '../openapi/shapes/responses-shapes.ts'
import { ResponseEvent } from '../openapi/shapes/stream-shapes.ts'
import { followResponse } from './follow-response.ts'
import type { GatewayContext } from './gateway-context.ts'
import { LIST_QUERY, listItems } from './list-items.ts'
import { toResponsesDialect } from './responses-dialect.ts'
import { sendResponse } from './send-response.ts'
import {
  deleteResponse,
  findResponse,
  readInput,
  readResponse,
  type StoredResponse,
  toStarted,
} from './stored-response.ts'

const shared = { scope: 'gateway', tag: 'Gateway', errorShape: 'responses' } as const

export const storedResponseRoutes: readonly Route[] = [
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/v1/responses/:id',
    id: 'getResponse',
    summary: 'A stored response as it is now, or its stream from any event on',
    query: z.object({ stream: z.string().optional(), starting_after: z.string().optional() }),
    errors: ['bad_request', 'not_found'],
    responses: { 200: either(ResponseShape, ResponseEvent, 'The response, whole or as a stream.') },
    handle: async (exchange, { gateway: context }) => {
      const found = await find(context, exchange.params.id)
      const { stream, starting_after } = exchange.parseQuery()
      if (stream !== 'true') return (await readResponse(context, found)).response
      context.streams.check()
      const dialect = await toResponsesDialect(context, { after: readPosition(starting_after) })
      const options = { exchange, dialect, stream: true, strict: false, isReplay: true }
      return await sendResponse(context, toStarted(found), options)
    },
  }),
  defineRoute({
    ...shared,
    method: 'DELETE',
    path: '/v1/responses/:id',
    id: 'deleteResponse',
    summary: 'Deletes a response; its session stays',
    errors: ['not_found'],
    responses: { 200: json(DeletedShape, 'It is deleted.') },
    handle: async ({ params }, { gateway: context }) => {
      await deleteResponse(context, await find(context, params.id))
      return { id: params.id, object: 'response', deleted: true }
    },
  }),
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/v1/responses/:id/input_items',
    id: 'listInputItems',
    summary: 'The input of a response, with the conversation before it',
    query: LIST_QUERY,
    errors: ['bad_request', 'not_found'],
    responses: { 200: json(ItemListShape, 'One page, the newest first.') },
    handle: async (exchange, { gateway: context }) => {
      const found = await find(context, exchange.params.id)
      return listItems(await readInput(context, found), exchange.parseQuery())
    },
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/v1/responses/:id/cancel',
    id: 'cancelResponse',
    summary: 'Cancels a running response',
    errors: ['not_found'],
    responses: { 200: json(ResponseShape, 'The response at its end.') },
    handle: async ({ params }, { gateway: context }) => {
      const found = await find(context, params.id)
      const { end, response } = await readResponse(context, found)
      if (end !== undefined) return response
      const { sessions } = context
      await sessions.append(draftCancel(found.session, 'cancelled by the client', sessions.stamp()))
      const options = { wire: responsesWire, strict: false, onStart: () => {} }
      await followResponse(context, toStarted(found), collectSink(PATIENT), options)
      return (await readResponse(context, found)).response
    },
  }),
]

async function find(context: GatewayContext, id: string): Promise<StoredResponse> {
  const found = await findResponse(context, id)
  if (found) return found
  throw new AppError('not_found', `Response with id ${JSON.stringify(id.slice(0, 200))} not found.`)
}

/** Throws `bad_request` for anything but a whole number. */
function readPosition(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new AppError('bad_request', 'starting_after: expected the sequence_number of an event')
}
