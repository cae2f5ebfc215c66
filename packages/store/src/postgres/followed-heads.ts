/**
 * Sessions with local readers and their positions. They are compared with the database periodically, so that a
 * lost hint arrives late instead of never.
 */
import type { Seq } from '@toolwire/core'
import type { Connections } from './connections.ts'
import { toPgText } from './pg-text.ts'
import { isUnprepared } from './retry.ts'

export interface FollowedHeads {
  /** A local reader has read the session up to `head`. */
  readonly follow: (session: string, head: Seq) => void
  /** The session has moved to `head`, 0 for removed; ignored without a local reader. */
  readonly note: (session: string, head: Seq) => void
  /** Forgets all of them: heads of another history say nothing about this one. */
  readonly clear: () => void
  readonly close: () => Promise<void>
}

export interface FollowedHeadsParts {
  readonly connections: Connections
  readonly hint: (session: string, head: Seq) => void
  /** Delay until the next comparison. */
  readonly everyMs: () => number
}

/** Sessions compared by one statement; further ones wait for the next turn. */
const COMPARED = 2000
/** More are forgotten, those followed first first; their hints come by notification alone. */
const FOLLOWED = 20_000

export function createFollowedHeads(parts: FollowedHeadsParts): FollowedHeads {
  const { connections, hint, everyMs } = parts
  const heads = new Map<string, Seq>()
  let closed = false
  let working: Promise<void> | undefined
  let timer = setTimeout(compareSome, everyMs())

  function compareSome(): void {
    working = compare([...heads.keys()].slice(0, COMPARED))
      .catch(error => {
        if (isUnprepared(error)) connections.stopNaming()
      })
      .then(() => {
        if (!closed) timer = setTimeout(compareSome, everyMs())
      })
  }
  async function compare(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { rows } = await connections.side.query({
      name: connections.named('toolwire-heads'),
      text: `select id, case when deleted_at is null then head else 0 end as head
        from toolwire.session where id = any($1::text[])`,
      values: [ids.map(toPgText)],
    })
    const found = rows as readonly { readonly id: string; readonly head: Seq }[]
    for (const { id, head } of found) if (hasMoved(id, head)) hint(id, head)
    for (const { id, head } of found) note(id, head)
    // Those just compared go to the end, so that all get their turn.
    if (heads.size > COMPARED) for (const id of ids) toEnd(id)
  }
  function hasMoved(id: string, head: Seq): boolean {
    const known = heads.get(id)
    return known !== undefined && (head === 0 || head > known)
  }
  function note(session: string, head: Seq): void {
    const known = heads.get(session)
    if (known === undefined) return
    if (head === 0) heads.delete(session)
    else if (head > known) heads.set(session, head)
  }
  function toEnd(id: string): void {
    const head = heads.get(id)
    if (head === undefined) return
    heads.delete(id)
    heads.set(id, head)
  }
  return {
    note,
    clear: () => heads.clear(),
    follow(session, head) {
      heads.set(session, Math.max(head, heads.get(session) ?? 0))
      const oldest = heads.size > FOLLOWED ? heads.keys().next().value : undefined
      if (oldest !== undefined) heads.delete(oldest)
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await working
    },
  }
}
