-- version 2
CREATE TABLE session(
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
CREATE INDEX session_updated on session(updated_at desc, id);
CREATE INDEX session_running on session(updated_at) where state = 'running';
CREATE INDEX session_wake on session(wake_at) where wake_at is not null;
CREATE TABLE label(
  name text not null,
  value text not null,
  session integer not null,
  primary key(name, value, session)
) strict, without rowid;
CREATE INDEX label_session on label(session);
CREATE TRIGGER label_changed after update of labels on session when new.labels <> old.labels begin
  delete from label where session = old.num;
  insert into label select key, value, new.num from json_each(new.labels);
end;
CREATE TRIGGER label_gone after delete on session begin
  delete from label where session = old.num;
end;
CREATE TABLE tombstone(
  id text primary key,
  deleted_at integer not null
) strict, without rowid;
CREATE TABLE chunk(
  session integer not null,
  seq integer not null,
  n integer not null,
  epoch integer not null,
  w integer,
  data any not null,
  unique(session, seq)
) strict;
CREATE TABLE recent(
  flush integer primary key,
  data text not null
) strict;
CREATE TABLE input_key(
  session integer not null,
  key text not null,
  seq integer not null,
  primary key(session, key)
) strict, without rowid;
CREATE TABLE search_doc(
  doc integer primary key,
  session integer not null,
  is_title integer not null
) strict;
CREATE INDEX search_doc_session on search_doc(session);
CREATE VIRTUAL TABLE search using fts5(terms, content='', contentless_delete=1, tokenize='ascii');
CREATE TABLE 'search_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'search_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE 'search_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
CREATE TABLE 'search_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE INDEX session_paused on session(updated_at desc, id) where state = 'paused';
CREATE INDEX session_owned on session(owner) where owner is not null;
CREATE INDEX session_owner on session(labels ->> '$.owner', updated_at desc, id) where labels ->> '$.owner' is not null;
CREATE INDEX session_idle on session(updated_at) where state = 'idle';
CREATE TABLE total(
  sessions integer not null,
  events integer not null,
  chunks integer not null
) strict;
CREATE TRIGGER total_session after insert on session begin
  update total set sessions = sessions + 1;
end;
CREATE TRIGGER total_session_gone after delete on session begin
  update total set sessions = sessions - 1;
end;
CREATE TRIGGER total_chunk after insert on chunk begin
  update total set events = events + new.n, chunks = chunks + 1;
end;
CREATE TRIGGER total_chunk_gone after delete on chunk begin
  update total set events = events - old.n, chunks = chunks - 1;
end;
