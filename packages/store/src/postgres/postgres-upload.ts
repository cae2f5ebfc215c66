/**
 * A file on its way into PostgreSQL. Every statement has the same effect when it is repeated: a lost connection does not
 * say if it was executed.
 */
import { AppError, type FileDetails, type FileUpload, type StoredFile } from '@toolwire/core'
import { countUpload, idTaken, ownerFull, tooMany } from '../counted-upload.ts'
import { toDetails } from '../file-rows.ts'
import { toPgText } from './pg-text.ts'
import { FILE_CHUNK, ignoreLostContent, type PostgresFileDeps } from './postgres-file-deps.ts'

/** Deletions of the same content that one upload may meet. */
const ATTEMPTS = 5

export async function beginPostgresUpload(
  deps: PostgresFileDeps,
  owner: string,
  find: (id: string) => Promise<StoredFile | undefined>,
): Promise<FileUpload> {
  const [made] = await deps.query<{ readonly num: number }>(
    'insert into toolwire.file_content(owner, bytes, touched_at) values($1, 0, $2) returning num',
    [toPgText(owner), deps.now()],
  )
  return new PostgresUpload(deps, { owner, num: made?.num ?? 0, find })
}

interface UploadTarget {
  readonly owner: string
  readonly num: number
  readonly find: (id: string) => Promise<StoredFile | undefined>
}

class PostgresUpload implements FileUpload {
  readonly #deps: PostgresFileDeps
  readonly #target: UploadTarget
  readonly #counted
  #pending: Uint8Array[] = []
  #size = 0
  #chunks = 0
  #isOver = false

  constructor(deps: PostgresFileDeps, target: UploadTarget) {
    this.#deps = deps
    this.#target = target
    this.#counted = countUpload(deps.limits)
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#counted.add(chunk)
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + FILE_CHUNK - this.#size)
      // The source may use its memory again.
      this.#pending.push(Uint8Array.from(part))
      this.#size += part.length
      at += part.length
      if (this.#size === FILE_CHUNK) await this.#flush()
    }
  }

  async finish(details: FileDetails): Promise<StoredFile> {
    const { query, limits } = this.#deps
    const { owner } = this.#target
    if (this.#size > 0) await this.#flush()
    const sha256 = this.#counted.sha256()
    const [others] = await query<{ readonly n: number }>(
      'select count(*) as n from toolwire.file where owner = $1 and id <> $2',
      [toPgText(owner), details.id],
    )
    if ((others?.n ?? 0) >= limits.count) throw tooMany(limits)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      await this.#name(sha256, details)
      const file = await this.#target.find(details.id)
      if (!file) continue
      if (file.sha256 !== sha256) throw idTaken()
      this.#isOver = true
      await this.#drop()
      return file
    }
    throw new AppError('storage_error')
  }

  async abort(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    await this.#drop()
  }

  /** The content of this hash becomes the file: this one, or the one that the owner has already. */
  async #name(sha256: string, details: FileDetails): Promise<void> {
    const { query } = this.#deps
    const owner = toPgText(this.#target.owner)
    await query(
      `update toolwire.file_content set sha256 = $3 where num = $1 and sha256 is null
and not exists(select 1 from toolwire.file_content where owner = $2 and sha256 = $3)`,
      [this.#target.num, owner, sha256],
    )
    const { id, created_at, expires_at } = details
    await query(
      `insert into toolwire.file(id, owner, content, created_at, expires_at, details)
select $3, $1, num, $4, $5, $6 from toolwire.file_content where owner = $1 and sha256 = $2
on conflict(id) do update set expires_at = greatest(toolwire.file.expires_at, excluded.expires_at)
where toolwire.file.content = excluded.content`,
      [owner, sha256, id, created_at, expires_at, toDetails(details)],
    ).catch(ignoreLostContent)
  }

  async #flush(): Promise<void> {
    const data = Buffer.concat(this.#pending, this.#size)
    this.#pending = []
    this.#size = 0
    const { query, limits, now } = this.#deps
    const bytes = this.#counted.bytes()
    const [room] = await query<{ readonly others: number }>(
      `with grown as (
  update toolwire.file_content set bytes = $2, touched_at = $3 where num = $1 and sha256 is null returning num, owner
), stored as (
  insert into toolwire.file_chunk(content, n, data) select num, $4, $5 from grown on conflict do nothing
)
select (
  select coalesce(sum(bytes), 0)::bigint from toolwire.file_content c where c.owner = grown.owner and c.num <> grown.num
) as others
from grown`,
      [this.#target.num, bytes, now(), this.#chunks, data],
    )
    this.#chunks += 1
    if (!room) throw new AppError('storage_error')
    if (room.others + bytes > limits.owner) throw ownerFull(limits)
  }

  async #drop(): Promise<void> {
    if (this.#deps.isClosing()) return
    await this.#deps.query('delete from toolwire.file_content where num = $1 and sha256 is null', [
      this.#target.num,
    ])
  }
}
