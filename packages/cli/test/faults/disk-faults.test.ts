/**
 * A disk that is full, or rejects every write, under a running server, and then recovers: the same process
 * continues. Needs a file system to fill and files to freeze, so each is tried only where the machine allows that.
 */
import { join } from 'node:path'
import type { Rec } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { expect, onTestFinished, test, vi } from 'vitest'
import { checkLog } from '../cluster/check-log.ts'
import { inFolder, type Launched, launch } from '../launch.ts'
import { canFreeze, canMount, fillDisk, freezeFiles, onSmallDisk } from './disk-tricks.ts'

vi.setConfig({ testTimeout: 240_000 })

interface Answer {
  readonly status: number
  readonly text: string
}

async function post(url: string, body: object): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

/** Throws when they are not listed. */
async function sessionsOf(url: string): Promise<readonly { readonly id: string; readonly status: string }[]> {
  const response = await fetch(`${url}/api/sessions?limit=100`)
  expect(response.status).toBe(200)
  return ((await response.json()) as { sessions: { id: string; status: string }[] }).sessions
}

const newSession = async (url: string): Promise<string> =>
  (JSON.parse((await post(`${url}/api/sessions`, {})).text) as { readonly id: string }).id

/** Says something and reads along; `text` grows while the answer comes. */
function follow(url: string, session_id: string, message: string) {
  const seen = { status: 0, text: '' }
  const over = (async () => {
    const response = await fetch(`${url}/api/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id, message }),
    })
    seen.status = response.status
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) seen.text += decoder.decode(chunk, { stream: true })
  })()
  // Its caller may not wait for it, and its server may be gone before.
  over.catch(() => {})
  return { seen, over }
}

const framesOf = (text: string): readonly string[] =>
  text.split('\n\n').filter(frame => frame.startsWith('id: '))
const DONE = '"type":"done"'

/** Asks for something new until it is refused; what was taken meanwhile, and the refusal. */
async function untilRefused(
  url: string,
  taken: Map<string, string>,
): Promise<Answer & { readonly said: string }> {
  for (let i = 0; i < 400; i++) {
    const id = await post(`${url}/api/sessions`, {})
    if (id.status !== 201) return { ...id, said: '' }
    const session = (JSON.parse(id.text) as { readonly id: string }).id
    const said = `note ${i} ${'x'.repeat(5000)}`
    const { seen, over } = follow(url, session, said)
    // A message that cannot be stored sends nothing more: waiting is pointless.
    const isOver = await Promise.race([over.then(() => true), pause(1500).then(() => false)])
    if (seen.text.includes(DONE)) taken.set(session, seen.text)
    else if (isOver) return { ...seen, said }
  }
  throw new Error('nothing was refused')
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

/** Resolves when `size` stays the same for a second: the last page of a file may have room for a few previews more. */
async function standsStill(size: () => number): Promise<void> {
  for (let before = -1; before !== size(); ) {
    before = size()
    await pause(1000)
  }
}

async function readAll(dir: string): Promise<ReadonlyMap<string, readonly Rec[]>> {
  const store = await openSqliteStore({ dir })
  try {
    const logs = new Map<string, readonly Rec[]>()
    for (const row of (await store.list({ limit: 1000 })).items) {
      const log = await store.read(row.id, 0, 1_000_000)
      expect(checkLog(row.id, log)).toEqual([])
      logs.set(row.id, log)
    }
    return logs
  } finally {
    await store.close()
  }
}

/**
 * One response has ended, another streams, and then no write succeeds until `heal`: new work is rejected, reading
 * continues, the stream waits. Afterwards the same process finishes everything, and nothing that was seen is lost.
 */
async function breakAndHeal(
  server: Launched,
  data: string,
  breakDisk: () => { readonly heal: () => void },
): Promise<void> {
  const { url, child } = server
  const taken = new Map<string, string>()
  const first = await newSession(url)
  const before = follow(url, first, 'hello')
  await before.over
  taken.set(first, before.seen.text)
  const busy = await newSession(url)
  const streaming = follow(url, busy, '/long 1500')
  await vi.waitFor(() => expect(framesOf(streaming.seen.text).length).toBeGreaterThan(20), 60_000)

  const { heal } = breakDisk()
  let refusedText: string
  try {
    const refused = await untilRefused(url, taken)
    refusedText = refused.said
    expect(refused.status).toBeGreaterThanOrEqual(500)
    expect(refused.text).toMatch(/storage_full|storage_error/)
    await standsStill(() => streaming.seen.text.length)
    expect(streaming.seen.text).not.toContain(DONE)
    expect((await fetch(`${url}/api/sessions`)).status).toBe(200)
    const again = await (await fetch(`${url}/api/sessions/${first}/events?wire=chat`)).text()
    for (const frame of framesOf(before.seen.text)) expect(again).toContain(frame)
  } finally {
    heal()
  }

  await streaming.over
  expect(streaming.seen.text.match(/"type":"done"/g)).toHaveLength(1)
  taken.set(busy, streaming.seen.text)
  const after = await newSession(url)
  const later = follow(url, after, 'hello again')
  await later.over
  taken.set(after, later.seen.text)
  expect(later.seen.text).toContain(DONE)
  for (const [session, text] of taken) {
    const now = new Set(
      framesOf(await (await fetch(`${url}/api/sessions/${session}/events?wire=chat`)).text()),
    )
    for (const frame of framesOf(text)) expect(now).toContain(frame)
  }
  await vi.waitFor(async () => {
    const listed = (await sessionsOf(url)).map(({ status }) => status)
    expect(listed).not.toContain('running')
  }, 60_000)
  expect([child.exitCode, child.signalCode]).toEqual([null, null])
  await server.stop()
  const logs = await readAll(data)
  // What was refused did not happen.
  const messages = [...logs.values()].flat().filter(({ ev }) => ev.type === 'input.message')
  if (refusedText !== '') expect(JSON.stringify(messages)).not.toContain(refusedText)
  for (const [session, text] of taken) {
    const seqs = framesOf(text).map(frame => Number(/^id: \S+\.(\d+)\.\d+$/m.exec(frame)?.[1]))
    expect(logs.get(session)?.length ?? 0).toBeGreaterThanOrEqual(Math.max(...seqs))
  }
}

const SLOWLY = { TOOLWIRE_DEMO_PACE_MS: '5' }

const FULL =
  'a disk that is full while a server runs: new work is refused by name, and the same process goes on when there is space, having lost nothing'
if (await canMount())
  test(FULL, async () => {
    await inFolder(dir =>
      onSmallDisk(dir, 12, async (disk, unmount) => {
        const data = join(disk, 'data')
        const server = await launch(dir, ['--port', '0', '--data', data], SLOWLY)
        onTestFinished(async () => {
          await server.stop('SIGKILL')
          unmount()
        })
        await breakAndHeal(server, data, () => ({ heal: fillDisk(disk).free }))
      }),
    )
  })
else
  test(`not tried, because mounting a file system is not permitted here: ${FULL}`, async () =>
    expect(await canMount()).toBe(false))

const READ_ONLY =
  'data that become read-only while a server runs: new work is refused by name, and the same process goes on when they can be written, having lost nothing'
if (await canFreeze())
  test(READ_ONLY, async () => {
    await inFolder(async dir => {
      const data = join(dir, 'data')
      const server = await launch(dir, ['--port', '0', '--data', data], SLOWLY)
      onTestFinished(async () => void (await server.stop('SIGKILL')))
      await breakAndHeal(server, data, () => {
        const { thaw } = freezeFiles(data)
        onTestFinished(thaw)
        return { heal: thaw }
      })
    })
  })
else
  test(`not tried, as no open file can be made read-only here: ${READ_ONLY}`, async () =>
    expect(await canFreeze()).toBe(false))
