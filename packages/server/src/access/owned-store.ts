/**
 * The store as the request's principal may see it. Sessions of other owners do not exist here:
 * they are not listed, not read, not written, and a write to one is answered like a write to none.
 */
import type { Append, AppendResult, ListQuery, Store } from '@toolwire/core'
import { attributeWrite, OWNER_LABEL, startsRun } from './attribute-write.ts'
import { DEFAULT_OWNER, type Principal } from './principal.ts'
import type { RunLimit } from './run-limit.ts'

const KEEP = 8_000
const ABSENT: AppendResult = { missing: 'never' }

/**
 * `principal` returns the caller; it may throw without one. `limit` rejects runs beyond the key's limit. `reached`
 * receives each session that was read or written, with the seq of the write.
 */
export function createOwnedStore(
  store: Store,
  principal: () => Principal,
  limit?: RunLimit,
  reached: (session: string, seq?: number) => void = () => {},
): Store {
  // An owner never changes, so it is remembered, also of a session that was deleted since.
  const owners = new Map<string, string>()

  async function ownerOf(session: string): Promise<string | undefined> {
    const known = owners.get(session)
    if (known !== undefined) return known
    const [row] = (await store.list({ ids: [session], limit: 1 })).items
    if (!row) return undefined
    return remember(session, row.labels[OWNER_LABEL] ?? DEFAULT_OWNER)
  }
  function remember(session: string, owner: string): string {
    if (owners.size >= KEEP) owners.clear()
    owners.set(session, owner)
    return owner
  }
  async function mayReach(session: string): Promise<boolean> {
    const { owner, unbounded } = principal()
    return unbounded || (await ownerOf(session)) === owner
  }
  /** Appends them unless one begins a run that is one too many. */
  async function admitted(writes: readonly Append[]): Promise<readonly AppendResult[]> {
    const sessions = new Set(writes.filter(startsRun).map(write => write.session))
    const done: (() => void)[] = []
    try {
      for (const session of sessions) if (limit) done.push(await limit.begin(principal(), session))
      return await store.append(writes)
    } finally {
      for (const leave of done) leave()
    }
  }

  function note(write: Append, answer: AppendResult): void {
    if (write.create === true && 'head' in answer) remember(write.session, principal().owner)
    if (write.events.length > 0 && 'head' in answer) reached(write.session, answer.head)
    if ('dup' in answer) reached(write.session, answer.dup)
  }

  return {
    async append(writes) {
      const reachable = await Promise.all(
        writes.map(write => write.create === true || mayReach(write.session)),
      )
      const allowed = writes.filter((_, i) => reachable[i]).map(write => attributeWrite(write, principal()))
      const answers = allowed.length > 0 ? [...(await admitted(allowed))] : []
      for (const [i, write] of allowed.entries()) {
        const answer = answers[i]
        if (answer) note(write, answer)
      }
      const out: AppendResult[] = []
      for (const isReachable of reachable) out.push(isReachable ? (answers.shift() ?? ABSENT) : ABSENT)
      return out
    },
    async read(session, after, max, how) {
      if (!(await mayReach(session))) return []
      reached(session)
      return await store.read(session, after, max, how)
    },
    async list(query) {
      const page = await store.list(narrowed(query, principal()))
      const [row] = page.items
      // Of a query that names one session.
      if (row && (query.ids?.length === 1 || query.idPrefix !== undefined)) reached(row.id)
      return page
    },
    remove: async session => (await mayReach(session)) && (await store.remove(session)),
    claim: request => store.claim(request),
    watch: hint => store.watch(hint),
    prune: options => store.prune(options),
    stats: () => store.stats(),
    lineage: async () => (await store.lineage?.()) ?? '',
    close: () => store.close(),
  }
}

function narrowed(query: ListQuery, { owner, unbounded }: Principal): ListQuery {
  return unbounded ? query : { ...query, labels: { ...query.labels, [OWNER_LABEL]: owner } }
}
