/** Reads a log in pages, so that a long session is never in memory as a whole. */
import type { Rec, Seq } from './event.ts'
import type { SessionLog } from './log.ts'

const PAGE = 1000

/** The log after a position, page by page, up to `head` or to its end at the time of the last page. No page is empty. */
export async function* readPages(
  log: Pick<SessionLog, 'read'>,
  session: string,
  { after, head = Number.POSITIVE_INFINITY }: { readonly after: Seq; readonly head?: Seq },
): AsyncGenerator<readonly Rec[]> {
  for (let position = after; position < head; ) {
    const max = Math.min(PAGE, head - position)
    const records = await log.read(session, position, max)
    if (records.length > 0) yield records
    if (records.length < max) return
    position = records.at(-1)?.seq ?? position
  }
}
