/**
 * Data damaged while no server ran. Many positions are tried by opening the store, some of them with the real
 * command: events before the damage are intact, and missing ones are never invented.
 */
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@toolwire/core'
import { openSqliteStore, StoreOpenError } from '@toolwire/store'
import { expect, test, vi } from 'vitest'
import { checkLog } from '../cluster/check-log.ts'
import { inFolder, type Launched, launch, run } from '../launch.ts'
import { createRandom } from '../soundness/random.ts'

vi.setConfig({ testTimeout: 400_000 })

async function post(url: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  return await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text()
}

/** Throws when they are not listed. */
async function sessionsOf(url: string): Promise<readonly { readonly id: string; readonly status: string }[]> {
  const response = await fetch(`${url}/api/sessions?limit=100`)
  expect(response.status).toBe(200)
  return ((await response.json()) as { sessions: { id: string; status: string }[] }).sessions
}

const newSession = async (url: string): Promise<string> =>
  (JSON.parse(await post(`${url}/api/sessions`, {})) as { readonly id: string }).id

const say = (url: string, session_id: string, message: string): Promise<string> =>
  post(`${url}/api/chat/stream`, { session_id, message })

/** The last seq that a stream showed. */
const seqOf = (text: string): number => Number(/\.(\d+)\.\d+\n[^\n]*\n*$/.exec(text.trimEnd())?.[1] ?? 0)

const start = (dir: string, data: string): Promise<Launched> => launch(dir, ['--port', '0', '--data', data])

/** Each event of each log as text, in order. */
type Logs = ReadonlyMap<string, readonly string[]>

/** The logs after opening the data: no run continues, so only order is checked. */
async function readLogs(dir: string): Promise<Logs> {
  const store = await openSqliteStore({ dir })
  try {
    const logs = new Map<string, readonly string[]>()
    for (const row of (await store.list({ limit: 1000 })).items) {
      const log = await store.read(row.id, 0, 1_000_000)
      expect(log.map(rec => rec.seq)).toEqual(Array.from({ length: row.head }, (_, i) => i + 1))
      logs.set(
        row.id,
        log.map(rec => JSON.stringify(rec.ev)),
      )
    }
    return logs
  } finally {
    await store.close()
  }
}

/** What was acknowledged when the journal had grown to so many bytes. */
interface Milestone {
  readonly journal: number
  readonly heads: ReadonlyMap<string, number>
}

const JOURNAL = 'toolwire.db-wal'

/**
 * Talks to a server and kills it. The journal only grows meanwhile: everything before a position in it was there
 * before.
 */
async function killedData(dir: string, data: string): Promise<readonly Milestone[]> {
  const server = await start(dir, data)
  const heads = new Map<string, number>()
  const milestones: Milestone[] = []
  const salts = new Set<string>()
  for (const message of ['/long 60', '/think', '/long 20', 'hello', '/markdown', '/long 80']) {
    const id = await newSession(server.url)
    for (const one of [message, 'hello']) {
      heads.set(id, seqOf(await say(server.url, id, one)))
      milestones.push({ journal: statSync(join(data, JOURNAL)).size, heads: new Map(heads) })
    }
    salts.add(readFileSync(join(data, JOURNAL)).subarray(16, 24).toString('hex'))
  }
  await server.stop('SIGKILL')
  expect(salts.size).toBe(1)
  return milestones
}

function copyData(from: string, to: string): string {
  mkdirSync(to)
  for (const name of readdirSync(from))
    if (statSync(join(from, name)).isFile()) copyFileSync(join(from, name), join(to, name))
  return join(to, JOURNAL)
}

interface Damage {
  readonly at: number
  readonly how: 'torn' | 'garbled'
}

/** Places all over the journal, its two ends among them, half of them torn and half garbled. */
function damagesOf(size: number, count: number): readonly Damage[] {
  const random = createRandom(5)
  return Array.from({ length: count }, (_, i) => {
    const at = i < 2 ? 0 : i < 4 ? size - 1 : Math.floor(((i - 4 + random()) / (count - 4)) * size)
    return { at, how: i % 2 === 0 ? 'torn' : 'garbled' }
  })
}

function damage(file: string, { at, how }: Damage): void {
  if (how === 'torn') {
    truncateSync(file, at)
    return
  }
  const fd = openSync(file, 'r+')
  const bytes = readFileSync(file).subarray(at, at + 64)
  writeSync(
    fd,
    bytes.map(byte => byte ^ 0x5a),
    0,
    bytes.length,
    at,
  )
  closeSync(fd)
}

/** All that was acknowledged before the damage is there, and all that is there is as it was. */
function expectKept(logs: Logs, whole: Logs, milestones: readonly Milestone[], { at, how }: Damage): void {
  const kept = milestones.findLast(one => one.journal <= at)?.heads ?? new Map<string, number>()
  const where = `${how} at ${at}`
  for (const [id, head] of kept) expect([where, (logs.get(id)?.length ?? 0) >= head]).toEqual([where, true])
  for (const [id, log] of logs) expect([where, log]).toEqual([where, whole.get(id)?.slice(0, log.length)])
}

const PLACES = 44
const WITH_SERVER = 4

test(`a journal torn or garbled at ${PLACES} places: everything before the damage is intact, and a server continues with it`, async () => {
  await inFolder(async dir => {
    const data = join(dir, 'data')
    const milestones = await killedData(dir, data)
    const size = statSync(copyData(data, join(dir, 'whole'))).size
    const whole = await readLogs(join(dir, 'whole'))
    expectKept(whole, whole, milestones, { at: size, how: 'torn' })
    // Else a loss of everything could pass unseen.
    const first = milestones[0]?.journal ?? size
    expect(first).toBeLessThan(size / 3)
    for (const [i, one] of damagesOf(size, PLACES).entries()) {
      const copy = join(dir, `copy-${i}`)
      damage(copyData(data, copy), one)
      const read = join(dir, `read-${i}`)
      copyData(copy, read)
      expectKept(await readLogs(read), whole, milestones, one)
      if (i % Math.floor(PLACES / WITH_SERVER) === 3) await serveAgain(dir, copy, { whole, milestones, one })
      for (const folder of [copy, read]) rmSync(folder, { recursive: true })
    }
  })
})

interface Expected {
  readonly whole: Logs
  readonly milestones: readonly Milestone[]
  readonly one: Damage
}

/** The real command starts on the data, ends what was cut off, and takes new messages, in old sessions too. */
async function serveAgain(dir: string, data: string, { whole, milestones, one }: Expected): Promise<void> {
  const server = await start(dir, data)
  try {
    await talkAgain(server.url)
  } finally {
    await server.stop()
  }
  const kept = milestones.findLast(({ journal }) => journal <= one.at)?.heads ?? new Map<string, number>()
  const logs = await readLogs(data)
  for (const [id, head] of kept) expect(logs.get(id)?.slice(0, head)).toEqual(whole.get(id)?.slice(0, head))
  const store = await openSqliteStore({ dir: data })
  for (const id of logs.keys()) expect(checkLog(id, await store.read(id, 0, 1_000_000))).toEqual([])
  await store.close()
}

async function talkAgain(url: string): Promise<void> {
  await vi.waitFor(async () => {
    const listed = (await sessionsOf(url)).map(({ status }) => status)
    expect(listed).not.toContain('running')
  }, 60_000)
  for (const id of [await newSession(url), ...(await sessionsOf(url)).map(({ id }) => id)])
    expect(await say(url, id, 'and now?')).toContain('"type":"done"')
}

const PAGE = 4096

/** A session with an answer, and the bytes of the database that holds it. */
async function storedData(dir: string) {
  const data = join(dir, 'data')
  const server = await start(dir, data)
  const id = await newSession(server.url)
  await say(server.url, id, '/long 200')
  await server.stop()
  return { id, whole: await readLogs(data), bytes: readFileSync(join(data, 'toolwire.db')) }
}

function writeData(dir: string, bytes: Buffer, file = 'toolwire.db'): string {
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir)
  writeFileSync(join(dir, file), bytes)
  return dir
}

test('a damaged page of the database is reported at the start or by the read, or its data are sound', async () => {
  await inFolder(async dir => {
    const { bytes, ...stored } = await storedData(dir)
    for (let page = 1; page < bytes.length / PAGE; page += 3) {
      const broken = Buffer.from(bytes).fill(0xa5, page * PAGE, (page + 1) * PAGE)
      const logs = await readLogs(writeData(join(dir, 'read'), broken)).catch((error: unknown) => error)
      if (logs instanceof Map) expect(logs).toEqual(stored.whole)
      else expect(logs).toSatisfy(error => error instanceof StoreOpenError || AppError.is(error))
      if (page % 9 !== 1) continue
      const outcome = await serveDamaged(dir, writeData(join(dir, 'served'), broken), stored)
      expect(logs instanceof Map ? ['read'] : ['ended', 'refused'], `page ${page}`).toContain(outcome)
    }
    for (const file of ['toolwire.db', 'records.db']) {
      const damaged = writeData(join(dir, 'first'), Buffer.from(bytes).fill(0xa5, 0, PAGE), file)
      const { code, stderr } = await run(['--port', '0', '--data', damaged], dir)
      expect(code).not.toBe(0)
      expect(stderr).toMatch(/cannot be (used|read)/)
    }
  })
})

test('a damage that leaves the pages in order and an event unreadable: the server starts, and the read is refused', async () => {
  await inFolder(async dir => {
    const { bytes, ...stored } = await storedData(dir)
    const at = bytes.indexOf('"type":"turn.completed"')
    expect(at).toBeGreaterThan(0)
    const broken = writeData(join(dir, 'served'), Buffer.from(bytes).fill('z', at, at + 12))
    expect(await serveDamaged(dir, broken, stored)).toBe('refused')
  })
})

/** Whether the real command refused to start, refused the read, or gave the whole log. */
async function serveDamaged(
  dir: string,
  data: string,
  { id, whole }: { readonly id: string; readonly whole: Logs },
): Promise<'ended' | 'refused' | 'read'> {
  const server = await start(dir, data).catch((error: unknown) => String(error))
  if (typeof server === 'string') {
    expect(server).toMatch(/"code":[1-9]/)
    expect(server).toMatch(/cannot be (used|read)/)
    return 'ended'
  }
  try {
    const response = await fetch(`${server.url}/api/sessions/${id}/events?wire=canonical`)
    const text = await response.text()
    if (response.status !== 200) {
      expect([response.status, text]).toEqual([500, expect.stringContaining('storage_error')])
      return 'refused'
    }
    const seqs = [...text.matchAll(/^data: .*"seq":(\d+)/gm)].map(found => Number(found[1]))
    const count = whole.get(id)?.length ?? 0
    if (seqs.length < count && text.includes('storage_error')) return 'refused'
    expect(seqs).toEqual(Array.from({ length: count }, (_, i) => i + 1))
    return 'read'
  } finally {
    await server.stop('SIGKILL')
  }
}
