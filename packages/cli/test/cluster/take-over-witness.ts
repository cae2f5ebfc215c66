/**
 * Take-overs as the database saw them, on its own clock: when a session changed hands, when the lease of the owner
 * before had ended, and when servers looked for work. Triggers write it down, so no clock of a test is involved.
 */
import type { TestDatabase } from '../../../store/test/postgres/test-database.ts'

interface TakeOver {
  /** From the end of the lost lease to the new owner's claim. Below 0 would be theft. */
  readonly lateMs: number
  /** By how much the new owner's looks came later than they are meant to: time that the machine did not give it. */
  readonly starvedMs: number
}

export interface Witness {
  /** Every change of hands of the session so far, first one first. */
  readonly takeOvers: (session: string) => Promise<readonly TakeOver[]>
}

/** Servers that share a log look for work at least this often. */
const LOOK_MS = 500

const INSTALL = `
create table public.seen(at timestamptz not null, what text not null, node text not null, session text, lease_until timestamptz);
create function public.see_claim() returns trigger language plpgsql as $$ begin
  insert into public.seen select clock_timestamp(), 'claim', new.owner, new.id, n.lease_until
  from toolwire.node n where n.id = old.owner;
  return null;
end $$;
create function public.see_look() returns trigger language plpgsql as $$ begin
  insert into public.seen values(clock_timestamp(), 'look', new.id, null, null);
  return null;
end $$;
create trigger see_claim after update on toolwire.session for each row
  when (new.owner is not null and old.owner is not null and new.owner <> old.owner) execute function public.see_claim();
create trigger see_look after insert or update on toolwire.node for each row execute function public.see_look();`

const READ = `
select extract(epoch from c.at - c.lease_until) * 1000 as late,
  (select max(extract(epoch from gap) * 1000) from (
    select l.at - lag(l.at) over (order by l.at) as gap from public.seen l
    where l.what = 'look' and l.node = c.node and l.at between c.lease_until - interval '3 s' and c.at + interval '5 ms'
  ) gaps) as gap
from public.seen c where c.what = 'claim' and c.session = $1 order by c.at`

/** The schema must be there already. */
export async function watchTakeOvers(database: TestDatabase): Promise<Witness> {
  await database.query(INSTALL)
  return {
    takeOvers: async session =>
      (await database.query(READ, [session])).map(row => ({
        lateMs: Number(row['late']),
        starvedMs: Math.max(0, Number(row['gap'] ?? 0) - LOOK_MS),
      })),
  }
}
