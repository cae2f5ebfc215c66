/**
 * Cost after use: a turn in a short and in a long session, and a server with few and with many sessions.
 * The same requests on the same server, on data that differ only in their size.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuMicros, lastingCpuMicros } from './process-meter.ts'
import { seedLog } from './seed-log.ts'
import { forkHelper, type Subject } from './spawn-subject.ts'
import { behind, startToolwire, type ToolwireSetting, WITH_ASKING_ECHO } from './start-toolwire.ts'
import { median } from './statistics.ts'

export interface GrowthLoad {
  /** Turns of the sessions that are compared. */
  readonly turns: readonly number[]
  /** Short sessions in the folders that are compared. */
  readonly sessions: readonly number[]
  /** Measured turns and requests, after as many to warm up. */
  readonly repeats: number
}

export interface TurnRow {
  readonly turns: number
  readonly cpu_ms: number
  readonly get_ms: number
  /** CPU from the output of a client tool to the end of the run. */
  readonly output_cpu_ms: number
  /** CPU from the approval of a call to the end of the run. */
  readonly approval_cpu_ms: number
  /** After a restart. */
  readonly first_ms: number
}

export interface SessionsRow {
  readonly sessions: number
  readonly mb: number
  readonly listen_ms: number
  readonly cold_listen_ms: number
  readonly search_ms: number
  readonly pending_ms: number
  readonly storage_ms: number
  readonly metrics_ms: number
  readonly idle_ms_per_s: number
}

const IDLE_MS = 3000
const idOf = (turns: number): string => `a0000000-0000-4000-8000-${String(turns).padStart(12, '0')}`

/** One row per number of turns, and one per number of sessions. */
export async function growth(
  command: readonly string[],
  load: GrowthLoad,
): Promise<{ readonly turns: readonly TurnRow[]; readonly sessions: readonly SessionsRow[] }> {
  const upstream = await forkHelper('./upstream-server.ts')
  const start: Start = async (data, setting = {}) =>
    await startToolwire({ command, data, ...behind(upstream.url), ...setting })
  try {
    const turns = await inFolder(dir => turnRows(dir, load, start))
    const sessions: SessionsRow[] = []
    for (const count of load.sessions)
      sessions.push(await inFolder(dir => sessionsRow(dir, count, load, start)))
    return { turns, sessions }
  } finally {
    await upstream.stop()
  }
}

type Start = (data: string, setting?: Pick<ToolwireSetting, 'files'>) => Promise<Subject>

async function turnRows(dir: string, load: GrowthLoad, start: Start): Promise<readonly TurnRow[]> {
  await seedLog(dir, { long: Object.fromEntries(load.turns.map(turns => [idOf(turns), turns])), short: 0 })
  const warm = new Map<number, Omit<TurnRow, 'first_ms' | 'approval_cpu_ms'>>()
  await using(start(dir), async server => {
    for (let i = 0; i < load.repeats; i++) for (const turns of load.turns) await say(server, idOf(turns))
    for (const turns of load.turns) warm.set(turns, await warmRow(server, turns, load.repeats))
  })
  const approvals = new Map<number, number>()
  await using(start(dir, WITH_ASKING_ECHO), async server => {
    for (const turns of load.turns)
      approvals.set(turns, await answered(server, idOf(turns), load.repeats, APPROVAL))
  })
  const rows: TurnRow[] = []
  for (const turns of load.turns)
    await using(start(dir), async server => {
      // Another session first: what a start compiles and connects is the same for all.
      await say(server, await newSession(server))
      const begun = performance.now()
      await say(server, idOf(turns))
      const row = warm.get(turns)
      const first_ms = performance.now() - begun
      if (row) rows.push({ ...row, approval_cpu_ms: approvals.get(turns) ?? Number.NaN, first_ms })
    })
  return rows
}

async function warmRow(
  server: Subject,
  turns: number,
  repeats: number,
): Promise<Omit<TurnRow, 'first_ms' | 'approval_cpu_ms'>> {
  const cpu: number[] = []
  for (let i = 0; i < repeats; i++) {
    const before = cpuMicros(server.pid)
    await say(server, idOf(turns))
    cpu.push((cpuMicros(server.pid) - before) / 1000)
  }
  const id = idOf(turns)
  const get_ms = await timed(server, `/api/sessions/${id}`, repeats)
  const output_cpu_ms = await answered(server, id, repeats, OUTPUT)
  return { turns, cpu_ms: median(cpu), get_ms, output_cpu_ms }
}

/** A way to answer a pause. */
interface PauseAnswer {
  /** Results in the session before, for each repetition. */
  readonly earlier: number
  /** Of the message that leads to the pause. */
  readonly fields: object
  /** Finds the id of what waits in the stream of that message. */
  readonly id: RegExp
  readonly answer: (id: string) => object
}

const PARAMETERS = { type: 'object', properties: { data: { type: 'string' } } }
const OUTPUT: PauseAnswer = {
  earlier: 0,
  fields: { tools: [{ name: 'echo', description: 'Echo', input_schema: PARAMETERS }] },
  id: /"type":"tool_use","tool":\{"id":"([^"]+)"/,
  answer: id => ({ tool_outputs: [{ tool_use_id: id, output: 'done' }] }),
}
const APPROVAL: PauseAnswer = {
  earlier: 2,
  fields: {},
  id: /"approval_id":"([^"]+)"/,
  answer: id => ({ approvals: [{ approval_id: id, decision: 'approved' }] }),
}

/** CPU milliseconds from an answer to the end of its run, the median. */
async function answered(
  server: Subject,
  session: string,
  repeats: number,
  how: PauseAnswer,
): Promise<number> {
  const samples: number[] = []
  // Half of them warm up.
  for (let i = 0; i < 2 * repeats; i++) {
    // The provider calls while the conversation has fewer results than this.
    const model = `claude-bench.r${how.earlier * repeats + i + 1}`
    const paused = await ask(server, { session_id: session, message: 'And then?', model, ...how.fields })
    const id = how.id.exec(paused)?.[1]
    if (id === undefined) throw new Error(`Nothing waits: ${paused.slice(-300)}`)
    const before = cpuMicros(server.pid)
    await ask(server, { session_id: session, ...how.answer(id) })
    if (i >= repeats) samples.push((cpuMicros(server.pid) - before) / 1000)
  }
  return median(samples)
}

async function sessionsRow(
  dir: string,
  sessions: number,
  load: GrowthLoad,
  start: Start,
): Promise<SessionsRow> {
  await seedLog(dir, { long: {}, short: sessions })
  const listens = async (): Promise<number> => {
    const begun = performance.now()
    return await using(start(dir), async () => performance.now() - begun)
  }
  await listens()
  const listen_ms = await listens()
  for (const file of readdirSync(dir)) forget(join(dir, file))
  const cold_listen_ms = await listens()
  return await using(start(dir), async server => {
    await say(server, await newSession(server))
    const search_ms = await timed(server, '/api/sessions?text=server&limit=20', load.repeats)
    const pending_ms = await timed(server, '/api/pending', load.repeats)
    const storage_ms = await timed(server, '/api/storage', load.repeats)
    const metrics_ms = await timed(server, '/metrics', 1)
    const before = lastingCpuMicros(server.pid)
    await new Promise(resolve => setTimeout(resolve, IDLE_MS))
    const idle_ms_per_s = (lastingCpuMicros(server.pid) - before) / IDLE_MS
    const mb = statSync(join(dir, 'toolwire.db')).size / 1e6
    return {
      sessions,
      mb,
      listen_ms,
      cold_listen_ms,
      search_ms,
      pending_ms,
      storage_ms,
      metrics_ms,
      idle_ms_per_s,
    }
  })
}

/** Drops what the system has cached of a file. */
function forget(file: string): void {
  // A page that is not on disk yet stays in the cache.
  execFileSync('sync', [file])
  execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])
}

async function using<T>(starting: Promise<Subject>, work: (server: Subject) => Promise<T>): Promise<T> {
  const server = await starting
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

async function inFolder<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-growth-'))
  try {
    return await work(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const json = { 'content-type': 'application/json' }

async function newSession({ url }: Subject): Promise<string> {
  const response = await fetch(`${url}/api/sessions`, { method: 'POST', headers: json, body: '{}' })
  return ((await response.json()) as { id: string }).id
}

/** One message, read to the end of its response. */
const say = async (server: Subject, session_id: string): Promise<string> =>
  await ask(server, { session_id, message: 'And then?' })

/** The whole stream of a request. */
async function ask({ url }: Subject, fields: object): Promise<string> {
  const body = JSON.stringify(fields)
  const response = await fetch(`${url}/api/chat/stream`, { method: 'POST', headers: json, body })
  const text = await response.text()
  if (!text.includes('"type":"done"')) throw new Error(`The turn failed: ${text.slice(-300)}`)
  return text
}

/** Milliseconds until a request is answered, the median. */
async function timed({ url }: Subject, path: string, repeats: number): Promise<number> {
  const samples: number[] = []
  for (let i = 0; i < repeats; i++) {
    const begun = performance.now()
    const response = await fetch(url + path)
    await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    samples.push(performance.now() - begun)
  }
  return median(samples)
}
