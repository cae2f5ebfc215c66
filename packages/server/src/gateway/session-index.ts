/**
 * Finds sessions by what their answers left behind: the first call that waits, and the chain of
 * the conversation. Labels in the store are the truth; what was used lately is remembered here,
 * so that the usual request needs no search.
 */
import type { SessionRow, Store } from '@toolwire/core'

/** Labels that an answer leaves on its session. */
export const LABELS = {
  chain: 'gateway_chain',
  setup: 'gateway_setup',
  call: 'gateway_call',
  /** The chain at the latest pause: results that come again later are still known. */
  asked: 'gateway_asked',
  user: 'gateway_user',
} as const

type LabelName = keyof typeof LABELS

export interface SessionIndex {
  /** The latest session with this label; undefined when there is none. */
  find(label: Exclude<LabelName, 'setup'>, value: string): Promise<SessionRow | undefined>
  /** The session of this id as it is now. */
  row(session: string): Promise<SessionRow | undefined>
  /** Writes labels; resolves when they are stored. */
  label(session: string, labels: Partial<Record<LabelName, string>>): Promise<void>
}

/** Conversations go on soon or hardly ever. */
const KEEP = 2_000

export function createSessionIndex(store: Store): SessionIndex {
  const recent = new Map<string, string>()

  function remember(label: LabelName, value: string, session: string): void {
    const key = `${label}:${value}`
    recent.delete(key)
    recent.set(key, session)
    const oldest = recent.keys().next().value
    if (recent.size > KEEP && oldest !== undefined) recent.delete(oldest)
  }

  async function row(session: string): Promise<SessionRow | undefined> {
    return (await store.list({ ids: [session], limit: 1 })).items[0]
  }

  return {
    row,
    async find(label, value) {
      const known = recent.get(`${label}:${value}`)
      const found = known === undefined ? undefined : await row(known)
      if (found?.labels[LABELS[label]] === value) return found
      const page = await store.list({ labels: { [LABELS[label]]: value }, limit: 1 })
      return page.items[0]
    },
    async label(session, labels) {
      const entries = Object.entries(labels) as [LabelName, string][]
      await store.append([
        {
          session,
          events: [],
          index: { labels: Object.fromEntries(entries.map(([name, value]) => [LABELS[name], value])) },
        },
      ])
      for (const [name, value] of entries) if (name !== 'setup') remember(name, value, session)
    },
  }
}
