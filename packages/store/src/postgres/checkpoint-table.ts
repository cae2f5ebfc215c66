/** Checkpoints in a table of the database. A trigger deletes them with their session, also when an older node removes it. */
import type { CheckpointStore } from '@toolwire/core'
import type { Connections } from './connections.ts'
import { toPgText } from './pg-text.ts'

/** Locks the session, so that one that is being removed keeps no checkpoint. */
const SAVE = `with s as materialized (
  select id from toolwire.session where id = $1 and deleted_at is null for share
)
insert into toolwire.checkpoint as c(session, seq, data) select s.id, $2, $3 from s
on conflict (session) do update set seq = excluded.seq, data = excluded.data where excluded.seq > c.seq`

/** Rejects with what the driver throws. */
export function createCheckpointTable({ readers, named }: Connections): CheckpointStore {
  return {
    async load(session) {
      const { rows } = await readers.query({
        name: named('toolwire-checkpoint'),
        text: 'select data from toolwire.checkpoint where session = $1',
        values: [toPgText(session)],
      })
      return (rows as readonly { readonly data: Buffer }[])[0]?.data
    },
    async save(session, seq, data) {
      await readers.query(SAVE, [toPgText(session), seq, Buffer.from(data)])
    },
    async remove(sessions) {
      await readers.query('delete from toolwire.checkpoint where session = any($1::text[])', [
        sessions.map(toPgText),
      ])
    },
  }
}
