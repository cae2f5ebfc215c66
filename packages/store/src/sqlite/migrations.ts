/**
 * The schema, one entry per version; `PRAGMA user_version` holds how many a file has. A released entry never
 * changes. test/schema.golden.sql pins the result. `chunk` holds the log: `n` events from `seq` on, as JSON text,
 * or as a blob once folded (pack.ts). `total` holds counters kept by triggers, so that statistics need no
 * counting. `label` is `session.labels` inverted, kept by triggers: sessions are found by label without a scan.
 * Owners' previews come from the preview files (preview-file.ts); `recent` held them in earlier versions.
 * `chunk.w` is the owner's write that a row ends with: previews do not update the session row, so the head of a
 * session is the later of `session.head` and the end of its last chunk.
 */
export const MIGRATIONS: readonly string[] = [
  `
create table session(
  num integer primary key,
  id text not null unique,
  head integer not null,
  epoch integer not null,
  wseq integer not null,
  whead integer not null,
  owner text,
  state text not null,
  title text,
  labels text not null default '{}',
  wake_at integer,
  created_at integer not null,
  updated_at integer not null
) strict;
create index session_updated on session(updated_at desc, id);
create index session_running on session(updated_at) where state = 'running';
create index session_wake on session(wake_at) where wake_at is not null;
create table label(
  name text not null,
  value text not null,
  session integer not null,
  primary key(name, value, session)
) strict, without rowid;
create index label_session on label(session);
create trigger label_changed after update of labels on session when new.labels <> old.labels begin
  delete from label where session = old.num;
  insert into label select key, value, new.num from json_each(new.labels);
end;
create trigger label_gone after delete on session begin
  delete from label where session = old.num;
end;
create table tombstone(
  id text primary key,
  deleted_at integer not null
) strict, without rowid;
create table chunk(
  session integer not null,
  seq integer not null,
  n integer not null,
  epoch integer not null,
  w integer,
  data any not null,
  unique(session, seq)
) strict;
create table recent(
  flush integer primary key,
  data text not null
) strict;
create table input_key(
  session integer not null,
  key text not null,
  seq integer not null,
  primary key(session, key)
) strict, without rowid;
create table search_doc(
  doc integer primary key,
  session integer not null,
  is_title integer not null
) strict;
create index search_doc_session on search_doc(session);
create virtual table search using fts5(terms, content='', contentless_delete=1, tokenize='ascii');
`,
  `
create index session_paused on session(updated_at desc, id) where state = 'paused';
create index session_owned on session(owner) where owner is not null;
create index session_owner on session(labels ->> '$.owner', updated_at desc, id) where labels ->> '$.owner' is not null;
create index session_idle on session(updated_at) where state = 'idle';
create table total(
  sessions integer not null,
  events integer not null,
  chunks integer not null
) strict;
insert into total select count(*),
  coalesce(sum(max(s.head, coalesce(
    (select c.seq + c.n - 1 from chunk c where c.session = s.num order by c.seq desc limit 1), 0))), 0),
  (select count(*) from chunk)
from session s;
create trigger total_session after insert on session begin
  update total set sessions = sessions + 1;
end;
create trigger total_session_gone after delete on session begin
  update total set sessions = sessions - 1;
end;
create trigger total_chunk after insert on chunk begin
  update total set events = events + new.n, chunks = chunks + 1;
end;
create trigger total_chunk_gone after delete on chunk begin
  update total set events = events - old.n, chunks = chunks - 1;
end;
`,
]
