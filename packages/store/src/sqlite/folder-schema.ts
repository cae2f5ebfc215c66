/** The database beside the contents of a folder of files. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createDatabaseFile } from '../private-files.ts'

const SCHEMA = `
create table if not exists content(
  owner text not null, sha256 text not null, bytes integer not null, primary key(owner, sha256)
) without rowid, strict;
create index if not exists content_sha256 on content(sha256);
create table if not exists file(
  id text primary key, owner text not null, sha256 text not null, bytes integer not null,
  created_at integer not null, expires_at integer not null, details text not null
) without rowid, strict;
create index if not exists file_list on file(owner, created_at desc, id desc);
create index if not exists file_content on file(owner, sha256);
create index if not exists file_expiry on file(expires_at);
create table if not exists file_ref(
  session text not null, file text not null references file(id) on delete cascade,
  created_at integer not null, primary key(session, file)
) without rowid, strict;
create index if not exists file_ref_file on file_ref(file)`

const COLUMNS =
  'id, owner, sha256, bytes, created_at, expires_at, details, exists(select 1 from file_ref where file = id) as is_used'
const LIVE = '(expires_at > :now or exists(select 1 from file_ref where file = id))'

export type FileStatements = ReturnType<typeof prepareFiles>

/** Opens or makes it. Throws what the system throws. */
export function prepareFiles(folder: string) {
  const path = join(folder, 'files.db')
  createDatabaseFile(path)
  const db = new DatabaseSync(path, { timeout: 5000 })
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  db.exec(SCHEMA)
  return {
    db,
    find: db.prepare(`select ${COLUMNS} from file where owner = :owner and id = :id and ${LIVE}`),
    ofSession: db.prepare(
      `select ${COLUMNS} from file where id = :id and exists(select 1 from file_ref where session = :session and file = :id)`,
    ),
    page: db.prepare(
      `select ${COLUMNS} from file where owner = :owner and (created_at, id) < (:created_at, :id) and ${LIVE} order by created_at desc, id desc limit :limit`,
    ),
    count: db.prepare('select count(*) as n from file where owner = :owner and id <> :id'),
    used: db.prepare('select total(bytes) as n from content where owner = ?'),
    contentOf: db.prepare('select sha256 from file where id = ?'),
    hasContent: db.prepare('select 1 from content where owner = ? and sha256 = ?'),
    owners: db.prepare('select owner from content where sha256 = ?'),
    addContent: db.prepare('insert into content values(?, ?, ?) on conflict do nothing'),
    dropContent: db.prepare(
      'delete from content where owner = :owner and sha256 = :sha256 and not exists(select 1 from file where owner = :owner and sha256 = :sha256) returning bytes',
    ),
    add: db.prepare(
      'insert into file values(:id, :owner, :sha256, :bytes, :created_at, :expires_at, :details) on conflict(id) do update set expires_at = max(expires_at, excluded.expires_at)',
    ),
    drop: db.prepare('delete from file where id = ?'),
    refer: db.prepare('insert into file_ref values(?, ?, ?) on conflict do nothing'),
    copy: db.prepare(
      'insert into file_ref select :to, file, :now from file_ref where session = :from on conflict do nothing',
    ),
    release: db.prepare('delete from file_ref where session = ?'),
    sessions: db.prepare(
      'select distinct session from file_ref where created_at < :before and session > :after order by session limit :limit',
    ),
    expired: db.prepare(
      `select ${COLUMNS} from file where expires_at <= :now and not exists(select 1 from file_ref where file = id) limit 500`,
    ),
  }
}
