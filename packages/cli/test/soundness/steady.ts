/**
 * The memory of a server that lives: its caches are filled first, then what is in use after a collection is looked
 * at again and again. Level means that nothing is kept for ever.
 */

import { type Growth, growthOf, growthProblems } from './growth.ts'
import type { HeapLook } from './heap-looks.ts'

/** A look, and how many sessions were over when it was taken. */
export interface SteadyLook extends HeapLook {
  readonly sessions: number
}

/** What must not grow with the number of sessions. */
const HELD = {
  heap: look => look.heapMb,
  buffers: look => look.buffersMb,
  "the store's thread": look => look.threads.heapMb,
  "buffers of the store's thread": look => look.threads.buffersMb,
} satisfies Record<string, (look: HeapLook) => number>

/**
 * A server's memory and its growth, by kind. Resident memory is reported; it includes garbage, so it decides
 * nothing.
 */
export function describeLooks(looks: readonly SteadyLook[]): {
  readonly held: Readonly<Record<string, Growth>>
  readonly problems: readonly string[]
} {
  const of = (megabytes: (look: HeapLook) => number) =>
    looks.map(look => ({ sessions: look.sessions, megabytes: megabytes(look) }))
  const gated = Object.entries(HELD)
  const held = Object.fromEntries(
    [...gated, ['resident', (look: HeapLook) => look.residentMb] as const].map(([name, megabytes]) => [
      name,
      growthOf(of(megabytes)),
    ]),
  )
  return { held, problems: gated.flatMap(([name, megabytes]) => growthProblems(name, of(megabytes))) }
}

/** More sessions and more of their events than the store keeps in memory. */
const WARM = { sessions: 8200, talks: 80, deltas: 1500, atOnce: 40 }

/** Resolves when the caches are full; how many sessions that took. Rejects when the server does not answer. */
export async function warmUp(url: string, onLine: (line: string) => void = () => {}): Promise<number> {
  let left = WARM.sessions
  await many(async () => {
    while (left-- > 0) await newSession(url)
  })
  onLine(`${WARM.sessions} sessions`)
  let talks = WARM.talks
  await many(async () => {
    while (talks-- > 0) {
      const session_id = await newSession(url)
      await post(`${url}/api/chat/stream`, { session_id, message: `/long ${WARM.deltas}` })
    }
  })
  onLine(`${WARM.talks} long answers`)
  return WARM.sessions + WARM.talks
}

const many = (work: () => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: WARM.atOnce }, work))

const newSession = async (url: string): Promise<string> =>
  (JSON.parse(await post(`${url}/api/sessions`, {})) as { readonly id: string }).id

async function post(url: string, body: object): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 300)}`)
  return text
}
