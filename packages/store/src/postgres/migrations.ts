/**
 * The schema, one entry per version; `toolwire.meta` holds how many a database has. A released entry never
 * changes, and a new one only adds: nodes of the previous version run beside nodes of this one.
 * test/postgres/schema.golden.txt pins the result. `chunk` holds the log: `n` events from `seq` on, as JSON in
 * UTF-8, or packed once folded. A removed session keeps its row, with `deleted_at`, so that late writers find it
 * under the same lock. `meta.restored_at` is the time of a restore: earlier cursors are void. Times in
 * milliseconds are for users and lists; leases use the database's clock.
 */
export interface Migration {
  readonly sql: string
  /** The oldest version of the program that can work with a database that has this. */
  readonly worksWith: number
}

export const MIGRATIONS: readonly Migration[] = [
  {
    worksWith: 1,
    sql: `
create table toolwire.node(
  id text collate "C" primary key,
  lease_until timestamptz not null
) with (fillfactor = 50);
create table toolwire.session(
  num bigint generated always as identity primary key,
  id text collate "C" not null unique,
  head bigint not null default 0,
  epoch integer not null default 0,
  wseq integer not null default 0,
  whead bigint not null default 0,
  owner text collate "C",
  state text collate "C" not null default 'idle',
  title text,
  labels jsonb not null default '{}',
  wake_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint
) with (fillfactor = 60);
create index session_updated on toolwire.session(updated_at desc, id) where deleted_at is null;
create index session_running on toolwire.session(updated_at) where state = 'running';
create index session_wake on toolwire.session(wake_at) where wake_at is not null;
create index session_labels on toolwire.session using gin(labels jsonb_path_ops);
create table toolwire.chunk(
  session bigint not null,
  seq bigint not null,
  n integer not null,
  epoch integer not null,
  packed boolean not null,
  data bytea not null,
  primary key(session, seq)
);
alter table toolwire.chunk alter data set storage external;
create table toolwire.input_key(
  session bigint not null,
  key text collate "C" not null,
  seq bigint not null,
  primary key(session, key)
);
create table toolwire.search_doc(
  doc bigint generated always as identity primary key,
  session bigint not null,
  is_title boolean not null,
  terms text collate "C" not null,
  lexemes tsvector not null
);
create index search_doc_session on toolwire.search_doc(session);
create index search_doc_lexemes on toolwire.search_doc using gin(lexemes);
create table toolwire.record(
  kind text collate "C" not null,
  id text collate "C" not null,
  value text not null,
  primary key(kind, id)
);
`,
  },
  {
    worksWith: 1,
    sql: 'alter table toolwire.meta add column restored_at bigint not null default 0',
  },
  {
    // The trigger is for older nodes, which remove sessions and do not know of checkpoints.
    worksWith: 1,
    sql: `
create table toolwire.checkpoint(
  session text collate "C" primary key,
  seq bigint not null,
  data bytea not null
);
alter table toolwire.checkpoint alter data set storage external;
create function toolwire.drop_checkpoint() returns trigger language plpgsql as $$
begin
  delete from toolwire.checkpoint where session = new.id;
  return null;
end
$$;
create trigger checkpoint_gone after update of deleted_at on toolwire.session
for each row when (new.deleted_at is not null and old.deleted_at is null)
execute function toolwire.drop_checkpoint();
`,
  },
  {
    worksWith: 1,
    sql: `
create index session_paused on toolwire.session(updated_at desc, id) where state = 'paused' and deleted_at is null;
create index session_idle on toolwire.session(updated_at) where state = 'idle' and deleted_at is null;
create index session_owner on toolwire.session((labels ->> 'owner'), updated_at desc, id)
  where deleted_at is null and labels ->> 'owner' is not null;
`,
  },
  {
    // A content without a hash is on its way in.
    worksWith: 1,
    sql: `
create table toolwire.file_content(
  num bigint generated always as identity primary key,
  owner text collate "C" not null,
  sha256 text collate "C",
  bytes bigint not null,
  touched_at bigint not null
);
create unique index file_content_hash on toolwire.file_content(owner, sha256) where sha256 is not null;
create index file_content_owner on toolwire.file_content(owner) include (bytes);
create table toolwire.file_chunk(
  content bigint not null references toolwire.file_content(num) on delete cascade,
  n integer not null,
  data bytea not null,
  primary key(content, n)
);
alter table toolwire.file_chunk alter data set storage external;
create table toolwire.file(
  id text collate "C" primary key,
  owner text collate "C" not null,
  content bigint not null references toolwire.file_content(num),
  created_at bigint not null,
  expires_at bigint not null,
  details text not null
);
create index file_list on toolwire.file(owner, created_at desc, id desc);
create index file_content_of on toolwire.file(content);
create index file_expiry on toolwire.file(expires_at);
create table toolwire.file_ref(
  session text collate "C" not null,
  file text collate "C" not null references toolwire.file(id) on delete cascade,
  created_at bigint not null,
  primary key(session, file)
);
create index file_ref_file on toolwire.file_ref(file);
`,
  },
]
