/**
 * The heap of a server that lives: its caches are filled first, then what is in use after a collection is looked
 * at again and again. Level means that nothing is kept for ever.
 */
/** The median of each third. */
export function byThirds(looks: readonly number[]): readonly number[] {
  const third = Math.floor(looks.length / 3)
  if (third === 0) return []
  return [0, 1, 2].map(i => {
    const sorted = looks.slice(i * third, (i + 1) * third).toSorted((a, b) => a - b)
    return Math.round((sorted[Math.floor(third / 2)] ?? 0) * 10) / 10
  })
}

const SETTLED_LOOKS = 60
const SLACK = { factor: 1.05, megabytes: 2 }

/** Growth between the last two thirds; the first one is for what has not come to its level yet. A short run says nothing. */
export function growthIn(looks: readonly number[]): readonly string[] {
  const [, middle = 0, last = 0] = byThirds(looks)
  if (looks.length < SETTLED_LOOKS || last <= middle * SLACK.factor + SLACK.megabytes) return []
  return [`the heap grew from ${middle} to ${last} MB`]
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
