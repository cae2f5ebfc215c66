/**
 * Finds sessions by what their answers left behind: the first call that waits, and the chain of
 * the conversation. Labels in the store are the truth; what was used lately is remembered here,
 * so that the usual request needs no search.
 */
import { AppError, RecentMap, type SessionRow } from '@toolwire/core'
import type { Sessions } from '@toolwire/session'
import type { SessionStore } from '../context.ts'
import { findRow } from '../sessions/find-session.ts'

/** Labels that an answer leaves on its session. */
export const LABELS = {
  chain: 'gateway_chain',
  setup: 'gateway_setup',
  call: 'gateway_call',
  /** The chain at the latest pause: results that come again later are still known. */
  asked: 'gateway_asked',
  user: 'gateway_user',
  /** The chains of the echo, which a client may spell in another way. */
  echo: 'gateway_echo',
  echo_asked: 'gateway_echo_asked',
  /** Fingerprint of the caller's key. */
  owner: 'gateway_owner',
  /** Digests of the reminders in the latest request. */
  notes: 'gateway_notes',
  /** `true` when a response of the session was not to be stored. */
  unstored: 'gateway_unstored',
} as const

export const UNSTORED_LABEL = LABELS.unstored

/** A session whose active branch changes holds another conversation than these name. */
export const CONVERSATION_LABELS: Readonly<Record<string, null>> = Object.fromEntries(
  (['chain', 'setup', 'call', 'asked', 'user', 'echo', 'echo_asked'] as const).map(name => [
    LABELS[name],
    null,
  ]),
)

type LabelName = keyof typeof LABELS
type FindLabel = Exclude<LabelName, 'setup' | 'owner' | 'notes' | 'unstored'>

const isFindable = (name: LabelName): name is FindLabel =>
  name !== 'setup' && name !== 'owner' && name !== 'notes' && name !== 'unstored'

export interface SessionIndex {
  /** The latest session with this label; undefined if there is no such item. */
  find(label: FindLabel, value: string): Promise<SessionRow | undefined>
  /** The session of this id as it is now. */
  row(session: string): Promise<SessionRow | undefined>
  /** Writes the labels that have a value; resolves when they are stored. */
  label(session: string, labels: Readonly<Partial<Record<LabelName, string | undefined>>>): Promise<void>
}

/** Conversations continue soon or hardly ever. */
const KEEP = 4_000

export function createSessionIndex(
  store: Pick<SessionStore, 'list'>,
  sessions: Pick<Sessions, 'append'>,
): SessionIndex {
  const recent = new RecentMap<string, string>(KEEP)

  function remember(label: FindLabel, value: string, session: string): void {
    recent.set(`${label}:${value}`, session)
  }

  const row = (session: string): Promise<SessionRow | undefined> => findRow(store, session)

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
      const entries = Object.entries(labels).filter(([, value]) => value !== undefined) as [
        LabelName,
        string,
      ][]
      const stored = Object.fromEntries(entries.map(([name, value]) => [LABELS[name], value]))
      const writes = [{ session, events: [], index: { labels: stored } }]
      // A session that was deleted meanwhile is not found again; its response is sent all the same.
      await sessions.append({ writes, wakes: false }).catch(error => {
        if (!AppError.is(error)) throw error
      })
      for (const [name, value] of entries) if (isFindable(name)) remember(name, value, session)
    },
  }
}
