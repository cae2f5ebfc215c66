/** Pages of items as OpenAI's clients ask for them. Pure. */
import { AppError } from '@toolwire/core'
import type { OutputItem } from '@toolwire/wire'
import { z } from 'zod'

export const LIST_QUERY = z.object({
  after: z.string().optional(),
  limit: z.string().optional(),
  order: z.string().optional(),
})
type ListQuery = z.output<typeof LIST_QUERY>

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/** The newest first, unless the query says otherwise. Throws `bad_request` for a query of the wrong form. */
export function listItems(items: readonly OutputItem[], { after, limit, order = 'desc' }: ListQuery) {
  const size = limit === undefined ? DEFAULT_LIMIT : Number(limit)
  if (!Number.isInteger(size) || size < 1 || size > MAX_LIMIT)
    throw new AppError('bad_request', `limit: a number from 1 to ${MAX_LIMIT}`)
  if (order !== 'asc' && order !== 'desc') throw new AppError('bad_request', 'order: asc or desc')
  const sorted = order === 'asc' ? items : items.toReversed()
  const found = after === undefined ? -1 : sorted.findIndex(item => item.id === after)
  if (after !== undefined && found === -1)
    throw new AppError('bad_request', 'after: no item of this list has the id')
  const data = sorted.slice(found + 1, found + 1 + size)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found + 1 + size < sorted.length,
  }
}
