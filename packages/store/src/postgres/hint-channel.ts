/**
 * Hints between nodes. A node announces the sessions that moved with one notification per flush, outside of the
 * flush's transaction, because notifying takes a server-wide lock. Notifications may be lost (a node dies, a
 * pooler drops them): rows are the truth. So sessions with local readers are also compared with the database,
 * every second while notifications arrive and four times a second otherwise.
 */
import { randomUUID } from 'node:crypto'
import type { Seq } from '@toolwire/core'
import type { Connections } from './connections.ts'
import { createFollowedHeads } from './followed-heads.ts'
import { decodeHints, encodeHints } from './hint-payload.ts'
import { startListener } from './listener.ts'
import { isUnprepared } from './retry.ts'

export interface HintChannel {
  /** Notifies the other nodes soon. Head 0 means that the session was removed. */
  readonly tell: (moved: readonly (readonly [session: string, head: Seq])[]) => void
  /** A local reader has read the session up to `head`: a hint follows when it moves. */
  readonly follow: (session: string, head: Seq) => void
  /** Forgets who has read how far: the log is another one. */
  readonly forget: () => void
  /** Resolves when notifications arrive, or when they could not be had at once. */
  readonly ready: Promise<void>
  readonly close: () => Promise<void>
}

export interface HintChannelParts {
  readonly connections: Connections
  /** Called for each session that another node moved; '*' when anything may have moved. */
  readonly hint: (session: string, head: Seq) => void
  /** False makes it poll only. */
  readonly listen: boolean
}

const CHANNEL = 'toolwire'
const POLL_MS = 1000
const POLL_ONLY_MS = 250

export function createHintChannel(parts: HintChannelParts): HintChannel {
  const { connections, hint } = parts
  const self = randomUUID()
  const untold = new Map<string, Seq>()
  let telling: Promise<void> | undefined

  async function tellAll(): Promise<void> {
    while (untold.size > 0) {
      const payloads = encodeHints(self, [...untold])
      untold.clear()
      await notify(payloads).catch(error => {
        if (isUnprepared(error)) connections.stopNaming()
      })
    }
  }
  async function notify(payloads: readonly string[]): Promise<void> {
    // Not worth a wait for the disk: a hint that is lost is found by polling.
    await connections.side.query({
      name: connections.named('toolwire-notify'),
      text: `select set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', p) from unnest($1::text[]) p`,
      values: [payloads],
    })
  }
  function receive(payload: string): void {
    const { from, moved } = decodeHints(payload)
    if (from === self) listener?.proved()
    else if (moved === undefined) hint('*', 0)
    else
      for (const [session, head] of moved) {
        heads.note(session, head)
        hint(session, head)
      }
  }

  const listener = parts.listen
    ? startListener({
        channel: CHANNEL,
        newClient: connections.newClient,
        receive,
        probe: () => notify(encodeHints(self, [])),
        onBegin: () => hint('*', 0),
      })
    : undefined
  const everyMs = (): number => (listener?.isListening() === true ? POLL_MS : POLL_ONLY_MS)
  const heads = createFollowedHeads({ connections, hint, everyMs })
  return {
    tell(moved) {
      for (const [session, head] of moved) {
        untold.set(session, head)
        heads.note(session, head)
      }
      telling ??= tellAll().finally(() => {
        telling = undefined
      })
    },
    follow: heads.follow,
    forget: heads.clear,
    ready: listener?.ready ?? Promise.resolve(),
    async close() {
      await Promise.allSettled([listener?.close(), heads.close(), telling])
    },
  }
}
