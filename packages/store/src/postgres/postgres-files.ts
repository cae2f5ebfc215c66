/**
 * Files in the sessions' database, so that every node has them. A content is stored in chunks before it has a hash; with
 * the hash it is complete.
 */
import { type ByteRange, FILE_LIMITS, type FileLimits, type FileStore, type StoredFile } from '@toolwire/core'
import { missingFile } from '../counted-upload.ts'
import { type FileRow, GRACE_MS, readPosition, SWEEP_PAGE, toFile, toPage } from '../file-rows.ts'
import { createConnections } from './connections.ts'
import { toPgText } from './pg-text.ts'
import { FILE_CHUNK, ignoreLostContent, type PostgresFileDeps } from './postgres-file-deps.ts'
import { beginPostgresUpload } from './postgres-upload.ts'
import { createRetry } from './retry.ts'

export interface PostgresFilesOptions {
  readonly url: string
  readonly limits?: FileLimits
  readonly now?: () => number
}

const IS_USED = 'exists(select 1 from toolwire.file_ref r where r.file = f.id)'
const COLUMNS = `f.id, f.owner, c.sha256, c.bytes, f.created_at, f.expires_at, f.details, ${IS_USED} as is_used`
const FROM = 'from toolwire.file f join toolwire.file_content c on c.num = f.content'
const liveAt = (parameter: string): string => `(f.expires_at > ${parameter} or ${IS_USED})`

/** The database has the tables of this version: the sessions' store was opened before. The caller closes it. */
export function openPostgresFiles({
  url,
  limits = FILE_LIMITS,
  now = Date.now,
}: PostgresFilesOptions): FileStore {
  const connections = createConnections(url)
  let closing: Promise<void> | undefined
  const isClosing = (): boolean => closing !== undefined
  const patiently = createRetry({ isClosing, onUnprepared: connections.stopNaming })
  const query = async <T extends object = FileRow>(sql: string, values: readonly unknown[]) =>
    await patiently(async () => (await connections.readers.query<T>(sql, [...values])).rows)
  const close = (): Promise<void> => {
    closing ??= connections.close()
    return closing
  }
  return new PostgresFiles({ query, limits, now, isClosing }, close)
}

class PostgresFiles implements FileStore {
  readonly #deps: PostgresFileDeps
  readonly close: () => Promise<void>

  constructor(deps: PostgresFileDeps, close: () => Promise<void>) {
    this.#deps = deps
    this.close = close
  }

  begin(owner: string) {
    return beginPostgresUpload(this.#deps, owner, id => this.get(owner, id))
  }

  async get(owner: string, id: string): Promise<StoredFile | undefined> {
    const sql = `select ${COLUMNS} ${FROM} where f.owner = $1 and f.id = $2 and ${liveAt('$3')}`
    const [row] = await this.#deps.query(sql, [toPgText(owner), toPgText(id), this.#deps.now()])
    return row && toFile(row)
  }

  async list(owner: string, { after, limit }: { readonly after?: string; readonly limit: number }) {
    const { created_at, id } = readPosition(after)
    const rows = await this.#deps.query(
      `select ${COLUMNS} ${FROM} where f.owner = $1 and (f.created_at, f.id) < ($2, $3) and ${liveAt('$4')}
order by f.created_at desc, f.id desc limit $5`,
      [toPgText(owner), created_at, id, this.#deps.now(), limit + 1],
    )
    return toPage(rows, limit)
  }

  async *read(
    { owner, sha256, bytes }: Pick<StoredFile, 'owner' | 'sha256' | 'bytes'>,
    { start, end }: ByteRange = { start: 0, end: bytes - 1 },
  ) {
    for (let at = start; at <= end; ) {
      const n = Math.floor(at / FILE_CHUNK)
      const from = at - n * FILE_CHUNK
      const [row] = await this.#deps.query<{ readonly data: Buffer }>(
        `select substring(k.data from $4 for $5) as data from toolwire.file_chunk k
join toolwire.file_content c on c.num = k.content where c.owner = $1 and c.sha256 = $2 and k.n = $3`,
        [toPgText(owner), sha256, n, from + 1, Math.min(FILE_CHUNK - from, end - at + 1)],
      )
      if (!row || row.data.length === 0) throw missingFile()
      at += row.data.length
      yield row.data
    }
  }

  async remove(owner: string, id: string, force: boolean): Promise<'removed' | 'used' | 'missing'> {
    const rows = await this.#deps.query<{ readonly content: number }>(
      `delete from toolwire.file f where f.owner = $1 and f.id = $2 and ($3 or not ${IS_USED}) returning content`,
      [toPgText(owner), toPgText(id), force],
    )
    await this.#dropContents(rows.map(row => row.content))
    if (rows.length > 0) return 'removed'
    return (await this.get(owner, id)) ? 'used' : 'missing'
  }

  async refer(owner: string, session: string, ids: readonly string[]): Promise<readonly StoredFile[]> {
    const values = [toPgText(owner), ids.map(toPgText), this.#deps.now()]
    const live = `f.owner = $1 and f.id = any($2) and ${liveAt('$3')}`
    await this.#deps.query(
      `insert into toolwire.file_ref(session, file, created_at)
select $4, f.id, $3 from toolwire.file f where ${live} on conflict do nothing`,
      [...values, toPgText(session)],
    )
    return (await this.#deps.query(`select ${COLUMNS} ${FROM} where ${live}`, values)).map(toFile)
  }

  async ofSession(session: string, id: string): Promise<StoredFile | undefined> {
    const sql = `select ${COLUMNS} ${FROM} join toolwire.file_ref s on s.file = f.id where f.id = $1 and s.session = $2`
    const [row] = await this.#deps.query(sql, [toPgText(id), toPgText(session)])
    return row && toFile(row)
  }

  async copyReferences(from: string, to: string): Promise<void> {
    await this.#deps.query(
      'insert into toolwire.file_ref select $2, file, $3 from toolwire.file_ref where session = $1 on conflict do nothing',
      [toPgText(from), toPgText(to), this.#deps.now()],
    )
  }

  async release(session: string): Promise<void> {
    await this.#deps.query('delete from toolwire.file_ref where session = $1', [toPgText(session)])
  }

  async sweep(findSessions: (ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void> {
    const { query, now } = this.#deps
    const before = now() - GRACE_MS
    for (let after = ''; ; ) {
      const page = await query<{ readonly session: string }>(
        'select distinct session from toolwire.file_ref where created_at < $1 and session > $2 order by session limit $3',
        [before, after, SWEEP_PAGE],
      )
      const ids = page.map(row => row.session)
      const last = ids.at(-1)
      if (last === undefined) break
      const present = await findSessions(ids)
      const absent = ids.filter(id => !present.has(id))
      await query('delete from toolwire.file_ref where session = any($1)', [absent])
      after = last
    }
    // Not at once when they expire: a request that has found one may be about to refer to it.
    await query(`delete from toolwire.file f where f.expires_at < $1 and not ${IS_USED}`, [before])
    const unnamed = await query<{ readonly num: number }>(
      'select num from toolwire.file_content c where touched_at < $1 and not exists(select 1 from toolwire.file where content = c.num)',
      [before],
    )
    await this.#dropContents(unnamed.map(row => row.num))
  }

  /** Those that no file has any more. One that gets a file at this moment stays, by its foreign key. */
  async #dropContents(nums: readonly number[]): Promise<void> {
    for (const num of nums)
      await this.#deps
        .query(
          'delete from toolwire.file_content where num = $1 and not exists(select 1 from toolwire.file where content = $1)',
          [num],
        )
        .catch(ignoreLostContent)
  }
}
