/**
 * One session as lines of JSON: a header, then every event in order. The lines hold all that
 * the log says; idempotency keys and ownership belong to the running store and stay there.
 */
import { AppError, type Rec, readPages, type SessionRow, type Store } from '@toolwire/core'

export const EXPORT_FORMAT = 'toolwire.session'
export const EXPORT_VERSION = 1

/** The first line. */
export interface ExportHeader
  extends Pick<SessionRow, 'id' | 'head' | 'state' | 'title' | 'labels' | 'wakeAt'> {
  readonly format: typeof EXPORT_FORMAT
  readonly version: typeof EXPORT_VERSION
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * Lines without line ends. Events appended while the export is read are left out: it is the
 * session at the moment of the first line. Throws AppError('session_not_found').
 */
export async function* exportSession(store: Store, id: string): AsyncGenerator<string, void, undefined> {
  const row = (await store.list({ ids: [id], limit: 1 })).items[0]
  if (!row) throw new AppError('session_not_found')
  const { head, state, title, labels, wakeAt, createdAt, updatedAt } = row
  const header: ExportHeader = {
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    id,
    head,
    state,
    title,
    labels,
    wakeAt,
    createdAt,
    updatedAt,
  }
  yield JSON.stringify(header)
  let after = 0
  for await (const records of readPages(store, id, { after, head })) {
    for (const record of records) yield toLine(record)
    after = records.at(-1)?.seq ?? after
  }
  // The session was removed meanwhile: half an export must not look like a whole one.
  if (after < head) throw new AppError('session_deleted')
}

const toLine = ({ seq, epoch, ev }: Rec): string => JSON.stringify({ seq, epoch, ev })
