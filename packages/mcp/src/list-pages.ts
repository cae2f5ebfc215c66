/** Lists that come in pages. One without end, or in a circle, is cut. */
import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'

const MAX_PAGES = 64
const PAGE_MS = 30_000

/** Page after page of entries of unknown form. Throws when the server fails or does not answer. */
export async function* listPages(
  client: Client,
  method: string,
  field: string,
): AsyncIterable<readonly unknown[]> {
  const Page = z.looseObject({ [field]: z.array(z.unknown()), nextCursor: z.string().nullish() })
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method, params }, Page, { timeout: PAGE_MS })
    yield answer[field] as readonly unknown[]
    cursor = (answer['nextCursor'] as string | null | undefined) ?? undefined
    if (cursor === undefined || seen.has(cursor)) return
    seen.add(cursor)
  }
}

/** At most `max` entries of all pages together. */
export async function collectPages(
  client: Client,
  method: string,
  field: string,
  max: number,
): Promise<readonly unknown[]> {
  const out: unknown[] = []
  for await (const entries of listPages(client, method, field)) {
    out.push(...entries)
    if (out.length >= max) break
  }
  return out.slice(0, max)
}
