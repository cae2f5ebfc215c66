/**
 * The store as the request's principal may see it. Sessions of other owners do not exist here:
 * they are not listed, not read, not written, and a write to one is answered like a write to none.
 */
import { AppError, type Append, type AppendResult, type ListQuery, type Store } from '@toolwire/core'
import { attributeWrite, OWNER_LABEL, startsRun, TOKEN_LABEL } from './attribute-write.ts'
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
  const owners = new Map<string, Origin>()

  async function originOf(session: string): Promise<Origin | undefined> {
    const known = owners.get(session)
    if (known !== undefined) return known
    const [row] = (await store.list({ ids: [session], limit: 1 })).items
    if (!row) return undefined
    return remember(session, {
      owner: row.labels[OWNER_LABEL] ?? DEFAULT_OWNER,
      token: row.labels[TOKEN_LABEL],
    })
  }
  function remember(session: string, origin: Origin): Origin {
    if (owners.size >= KEEP) owners.clear()
    owners.set(session, origin)
    return origin
  }
  async function mayReach(session: string): Promise<boolean> {
    const { owner, unbounded, token } = principal()
    const { sessions } = token ?? {}
    if (Array.isArray(sessions) && !sessions.includes(session)) return false
    if (unbounded) return true
    const origin = await originOf(session)
    return origin?.owner === owner && (sessions !== 'new' || origin.token === token?.id)
  }
  /** Throws `forbidden` for a token that is for named sessions. */
  function mayCreate(): boolean {
    if (!Array.isArray(principal().token?.sessions)) return true
    throw new AppError('forbidden', 'This token is for its sessions alone: it makes no others.')
  }
  /** Appends them unless one begins a run that is one too many. */
  async function admitted(writes: readonly Append[]): Promise<readonly AppendResult[]> {
    const sessions = new Set(writes.filter(startsRun).map(write => write.session))
    const done: (() => void)[] = []
    try {
      for (const session of sessions) if (limit) done.push(await limit.begin(principal(), session))
      const runs = writes.map(newRuns)
      const all = runs.reduce((a, b) => a + b, 0)
      if (all > 0) await limit?.count?.(principal(), all)
      const answers = await store.append(writes)
      // A message that was sent twice, or that met another state, began no run.
      const begun = runs.filter((_, i) => 'head' in (answers[i] ?? {})).reduce((a, b) => a + b, 0)
      if (begun < all) await limit?.count?.(principal(), begun - all)
      return answers
    } finally {
      for (const leave of done) leave()
    }
  }

  function note(write: Append, answer: AppendResult): void {
    if (write.create === true && 'head' in answer) remember(write.session, toOrigin(principal()))
    if (write.events.length > 0 && 'head' in answer) reached(write.session, answer.head)
    if ('dup' in answer) reached(write.session, answer.dup)
  }

  return {
    async append(writes) {
      const reachable = await Promise.all(
        writes.map(write => (write.create === true ? mayCreate() : mayReach(write.session))),
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

/** Number of messages, which begin a run each. Answers continue one. */
const newRuns = (write: Append): number =>
  startsRun(write) ? write.events.filter(event => event.type === 'input.message').length : 0

/** The owner of a session, and the browser token that made it. */
interface Origin {
  readonly owner: string
  readonly token: string | undefined
}

const toOrigin = ({ owner, token }: Principal): Origin => ({ owner, token: token?.id })

function narrowed(query: ListQuery, { owner, unbounded, token }: Principal): ListQuery {
  const own = unbounded ? query : { ...query, labels: { ...query.labels, [OWNER_LABEL]: owner } }
  const { sessions } = token ?? {}
  if (sessions === undefined) return own
  if (sessions === 'new') return { ...own, labels: { ...own.labels, [TOKEN_LABEL]: token?.id ?? '' } }
  return { ...own, ids: own.ids ? own.ids.filter(id => sessions.includes(id)) : sessions }
}
