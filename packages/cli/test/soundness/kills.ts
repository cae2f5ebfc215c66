/**
 * Kills: sessions of every kind run on one real server that is killed and terminated at random, and restarted on
 * the same data. Interrupted clients retry with the same key. Afterwards the whole log is read and checked. The
 * seed decides the actions; only the machine's pace is left to chance. Or none of that happens to it, and its
 * memory is watched for as long as it runs (steady.ts).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Rec } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { checkLog } from '../cluster/check-log.ts'
import { type Launched, launch } from '../launch.ts'
import { createFoundAgain, type SeenText, type Taken } from './found-again.ts'
import type { Growth } from './growth.ts'
import { createHeapLooks, type HeapLooks } from './heap-looks.ts'
import { createRandom } from './random.ts'
import { describeLooks, type SteadyLook, warmUp } from './steady.ts'
import { EFFECTS, KINDS, type Kind, NOTES, streamedText, type Talk } from './talks.ts'

export interface KillOptions {
  /** An empty folder that the caller removes. */
  readonly dir: string
  readonly seed: number
  /** Sessions to hold; with `seconds`, as many as there is time for. */
  readonly sessions: number
  readonly seconds?: number
  /** Sessions held at the same time. */
  readonly atOnce?: number
  /** One server lives through it all; only then is its heap measurement meaningful. */
  readonly isSteady?: boolean
  /** Fills the caches of a steady server first, so that what it holds can be level from then on. */
  readonly isWarm?: boolean
  readonly onLine?: (line: string) => void
}

export interface KillReport {
  readonly kinds: Readonly<Record<Kind, number>>
  readonly faults: Readonly<Record<'SIGKILL' | 'SIGTERM', number>>
  readonly events: number
  readonly logs: number
  /** Frames that clients saw and that were compared with the log's; those of vendors' wires as the text they make. */
  readonly frames: number
  readonly streamedTexts: number
  /** Messages, approvals, outputs and whole answers that were acknowledged and looked up in the log. */
  readonly acknowledged: number
  readonly retries: number
  /** Writes that the log reports as done, each of which was, and those of unknown outcome. */
  readonly writes: { readonly done: number; readonly unknown: number }
  /** Largest resident memory of a server in megabytes, in the first and in the last tenth of all looks. */
  readonly memory: { readonly first: number; readonly last: number }
  /** What a steady server holds after a collection, and how it grows; empty for one that does not live. */
  readonly held: Readonly<Record<string, Growth>>
  /** What must not be; empty when all is well. */
  readonly problems: readonly string[]
}

interface State {
  readonly options: KillOptions
  readonly random: () => number
  readonly problems: string[]
  readonly kinds: Record<Kind, number>
  readonly faults: Record<'SIGKILL' | 'SIGTERM', number>
  readonly taken: Taken[]
  /** Frames as clients saw them, by wire and session, then by id. */
  readonly seen: Map<string, Map<string, string>>
  readonly texts: SeenText[]
  readonly memory: number[]
  readonly looks: SteadyLook[]
  server: Promise<Launched>
  isOver: boolean
  begun: number
  /** Sessions that were there before. */
  warm: number
  /** Whole answers to what was posted. */
  answers: number
  retries: number
}

/**
 * There is no grace to set for SIGTERM: without a database no other server could continue meanwhile, so runs are
 * left where they are for the next start. Draining is tested in test/cluster.
 */
const PACE = { TOOLWIRE_DEMO_PACE_MS: '3' }

const NAMES = Object.keys(KINDS) as Kind[]

/** Runs to its end. Throws when a server does not start; everything else is a problem in the report. */
export async function runKills(options: KillOptions): Promise<KillReport> {
  mkdirSync(join(options.dir, 'workspace'))
  writeFileSync(join(options.dir, 'workspace', NOTES.file), `${NOTES.text}\n`)
  const heap = options.isSteady ? createHeapLooks(join(options.dir, 'heap.txt')) : undefined
  const state: State = {
    options,
    random: createRandom(options.seed),
    problems: [],
    kinds: Object.fromEntries(NAMES.map(name => [name, 0])) as Record<Kind, number>,
    faults: { SIGKILL: 0, SIGTERM: 0 },
    taken: [],
    seen: new Map(),
    texts: [],
    memory: [],
    looks: [],
    server: start(options.dir, heap?.env),
    isOver: false,
    begun: 0,
    warm: 0,
    answers: 0,
    retries: 0,
  }
  const { url } = await state.server
  if (options.isWarm) state.warm = await warmUp(url, options.onLine)
  const timer = setTimeout(
    () => {
      state.isOver = true
    },
    (options.seconds ?? 3600) * 1000,
  )
  const disturbing = heap ? watchMemory(state, heap) : disturb(state)
  try {
    await Promise.all(Array.from({ length: options.atOnce ?? 12 }, () => holdSessions(state)))
  } finally {
    clearTimeout(timer)
    state.isOver = true
    await disturbing
  }
  await compareFrames(state)
  await (await state.server).stop()
  return await report(state)
}

const start = (dir: string, env: Readonly<Record<string, string>> = {}): Promise<Launched> =>
  launch(dir, ['--port', '0', '--data', join(dir, 'data'), '--workspace', join(dir, 'workspace')], {
    ...PACE,
    ...env,
  })

async function holdSessions(state: State): Promise<void> {
  while (!state.isOver && (state.options.seconds !== undefined || state.begun < state.options.sessions)) {
    const n = state.begun++
    const kind = NAMES[n % NAMES.length] ?? 'chat'
    try {
      await KINDS[kind](talkOf(state, `${state.options.seed}-${n}`))
      state.kinds[kind] += 1
    } catch (error) {
      state.problems.push(`${kind} ${n}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

const MAX_TRIES = 120

/** What a conversation can do: each request is made again, with the same key, until a server has answered it whole. */
function talkOf(state: State, id: string): Talk {
  let count = 0
  return {
    id,
    took: taken => void state.taken.push(taken),
    async ask(path, body, isWhole = () => true) {
      const key = `${id}-${++count}`
      let last = 'no answer'
      for (let i = 0; i < MAX_TRIES; i++) {
        const answer = await tryOnce(state, path, body, key)
        if (answer && answer.status < 400 && isWhole(answer.text)) {
          if (body !== undefined) state.answers += 1
          return answer
        }
        if (answer && isAskedAgain(answer)) {
          await pause(ASK_AGAIN_MS)
          continue
        }
        if (answer && answer.status < 500 && answer.status >= 400 && answer.status !== 429)
          throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 300)}`)
        if (answer) last = `${answer.status} ${answer.text.slice(0, 300)}`
        state.retries += 1
        await pause(50)
      }
      throw new Error(`${path}: no whole answer after ${MAX_TRIES} tries, but ${last}`)
    },
  }
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const ASK_AGAIN_MS = 1000

/** A server that died with a key in its hands leaves it taken for a while, and says so. */
const isAskedAgain = ({ status, text }: Answer): boolean => status === 409 && text.includes('ask again')

async function tryOnce(
  state: State,
  path: string,
  body: object | undefined,
  key: string,
): Promise<Answer | undefined> {
  const server = await state.server
  let text = ''
  let session: string | null = null
  try {
    const response = await fetch(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    session = response.headers.get('x-session-id')
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
    return { status: response.status, headers: response.headers, text }
  } catch {
    // Its server is gone: what came before counts as seen all the same.
    return undefined
  } finally {
    const wire = FRAMED[path]
    if (wire !== undefined) keepFrames(state, wire, text)
    else if (session !== null && streamedText(text) !== '')
      state.texts.push({ session, text: streamedText(text) })
  }
}

/** Wires whose repeated streams are the same from their first frame on. A vendor's omits aborted text. */
const FRAMED: Readonly<Record<string, string>> = { '/api/chat/stream': 'chat', '/v4/response': 'thread' }

function keepFrames(state: State, wire: string, text: string): void {
  for (const frame of text.split('\n\n').slice(0, -1)) {
    const id = /^id: (.+)$/m.exec(frame)?.[1]
    if (id === undefined) continue
    const key = `${wire} ${id.split('.')[0]}`
    const frames = state.seen.get(key) ?? new Map<string, string>()
    state.seen.set(key, frames)
    const before = frames.get(id)
    if (before !== undefined && before !== frame) state.problems.push(`${id}: sent twice, and differently`)
    frames.set(id, frame)
  }
}

async function disturb(state: State): Promise<void> {
  while (!state.isOver) {
    await progress(state, 3 + Math.floor(state.random() * 10))
    await pause(state.random() * 300)
    if (state.isOver) return
    const server = await state.server
    keepMemory(state, server)
    const signal = state.random() < 0.6 ? 'SIGKILL' : 'SIGTERM'
    state.faults[signal] += 1
    state.options.onLine?.(`${signal} after ${state.begun} sessions, ${state.retries} retries`)
    state.server = server.stop(signal).then(() => start(state.options.dir))
    await state.server
  }
}

/** Resolves after so many more answers: a server that is killed before it can answer would show nothing. */
async function progress(state: State, answers: number): Promise<void> {
  const enough = state.answers + answers
  while (!state.isOver && state.answers < enough) await pause(20)
}

const LOOK_MS = 2000

/** Looks at the only server until all is over. */
async function watchMemory(state: State, heap: HeapLooks): Promise<void> {
  const server = await state.server
  while (!state.isOver) {
    keepMemory(state, server)
    const look = await heap.look(server.child)
    state.looks.push({ ...look, sessions: Object.values(state.kinds).reduce((sum, count) => sum + count, 0) })
    await pause(LOOK_MS)
  }
}

function keepMemory(state: State, server: Launched): void {
  const file = `/proc/${server.child.pid}/status`
  const kilobytes = existsSync(file) ? /VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] : undefined
  if (kilobytes !== undefined) state.memory.push(Number(kilobytes) / 1024)
}

/** Every frame that a client saw is in the stream that the log gives now, byte for byte. */
async function compareFrames(state: State): Promise<void> {
  const { url } = await state.server
  for (const [key, frames] of state.seen) {
    const [wire, session] = key.split(' ')
    const response = await fetch(`${url}/api/sessions/${session}/events?wire=${wire}`)
    const now = new Set((await response.text()).split('\n\n'))
    for (const [id, frame] of frames)
      if (!now.has(frame)) state.problems.push(`${key}: frame ${id} was seen and is gone`)
  }
}

async function report(state: State): Promise<KillReport> {
  const found = createFoundAgain(state.taken, state.texts)
  const figures = await readLogs(state, found.look)
  // A request repeated under its key starts nothing again.
  if (figures.logs !== state.begun + state.warm)
    state.problems.push(`${state.begun + state.warm} sessions were begun, there are ${figures.logs} logs`)
  state.problems.push(...found.end(readEffects(join(state.options.dir, 'workspace', EFFECTS))))
  const steady = state.looks.length > 0 ? describeLooks(state.looks) : { held: {}, problems: [] }
  state.problems.push(...steady.problems)
  const { kinds, faults, retries, problems, memory } = state
  const tenth = Math.max(1, Math.floor(memory.length / 10))
  const most = (list: readonly number[]): number => Math.round(Math.max(0, ...list))
  return {
    ...figures,
    kinds,
    faults,
    retries,
    problems,
    frames: [...state.seen.values()].reduce((sum, frames) => sum + frames.size, 0),
    streamedTexts: state.texts.length,
    acknowledged: state.taken.length,
    writes: found.writes(),
    held: steady.held,
    memory: { first: most(memory.slice(0, tenth)), last: most(memory.slice(-tenth)) },
  }
}

/** Every log, checked by itself and shown to `look`. */
async function readLogs(
  state: State,
  look: (session: string, log: readonly Rec[]) => void,
): Promise<Pick<KillReport, 'events' | 'logs'>> {
  const store = await openSqliteStore({ dir: join(state.options.dir, 'data') })
  const figures = { events: 0, logs: 0 }
  try {
    let after: string | undefined
    do {
      const page = await store.list({ limit: 100, ...(after === undefined ? {} : { after }) })
      for (const row of page.items) {
        const log = await store.read(row.id, 0, 1_000_000)
        state.problems.push(...checkLog(row.id, log))
        if (log.length !== row.head) state.problems.push(`${row.id}: ${log.length} events, head ${row.head}`)
        if (row.state !== 'idle') state.problems.push(`${row.id}: ${row.state} after all was answered`)
        look(row.id, log)
        figures.events += log.length
        figures.logs += 1
      }
      after = page.next ?? undefined
    } while (after !== undefined)
  } finally {
    await store.close()
  }
  return figures
}

function readEffects(file: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
