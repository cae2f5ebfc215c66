/**
 * Chaos: sessions are used and watched while servers are killed, stopped, disconnected and terminated, and the
 * database is killed. Afterwards the whole log is read and checked. The seed alone plans the actions
 * (chaos-plan.ts); the server that a client happens to ask, and the machine's pace, are left to chance.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFoundAgain } from '../soundness/found-again.ts'
import { describeStep, type Fault, planFaults, planTalk, type Step } from './chaos-plan.ts'
import { type ChaosNode, type ChaosStage, openChaosStage } from './chaos-stage.ts'
import { checkLog } from './check-log.ts'
import { type Frame, isOwnedBy, LEASE_MS, newSession, readLog, until, watch } from './fleet.ts'

export interface ChaosOptions {
  readonly seconds: number
  readonly seed: number
  readonly nodes?: number
  readonly sessions?: number
  readonly onFault?: (line: string) => void
}

export interface ChaosReport {
  readonly faults: Readonly<Record<Fault, number>>
  readonly events: number
  readonly runs: number
  readonly watched: number
  readonly aborted: number
  readonly unknown: number
  readonly writes: number
  /** Milliseconds from the fault until another server owned what its victim had, by fault. */
  readonly takeovers: Readonly<Partial<Record<Fault, readonly number[]>>>
  /** What must not be; empty when all is well. */
  readonly problems: readonly string[]
}

interface State {
  readonly stage: ChaosStage
  readonly seed: number
  readonly over: AbortController
  readonly sessions: readonly string[]
  readonly problems: string[]
  readonly faults: Record<Fault, number>
  readonly takeovers: Partial<Record<Fault, number[]>>
  readonly onFault: (line: string) => void
  /** Messages by session; a repeated one is counted once. */
  readonly said: Map<string, number>
  watched: number
}

const EFFECTS = 'effects.txt'

/** Leaves nothing running. Rejects only when the stage itself cannot be set up. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const problems: string[] = []
  const onLoss = (stderr: string): void => void problems.push(`a server ended by itself: ${stderr}`)
  const stage = await openChaosStage(options.nodes ?? 3, { TOOLWIRE_DEMO_PACE_MS: '3' }, onLoss)
  try {
    const first = pickNode(stage, () => 0)
    const sessions = await Promise.all(
      Array.from({ length: options.sessions ?? 6 }, () => newSession(first.server, { tools: ['Bash'] })),
    )
    const state: State = {
      stage,
      sessions,
      seed: options.seed,
      over: new AbortController(),
      problems,
      faults: { kill: 0, stop: 0, cut: 0, term: 0, database: 0 },
      takeovers: {},
      onFault: options.onFault ?? (() => {}),
      said: new Map(),
      watched: 0,
    }
    const timer = setTimeout(() => state.over.abort(), options.seconds * 1000)
    const watchers = sessions.map(session => follow(state, session))
    await Promise.all([...sessions.map((session, i) => talk(state, session, i)), disturb(state)])
    clearTimeout(timer)
    await until(async () =>
      (await stage.fleet.store.list({ limit: 100 })).items.every(row => row.state === 'idle'),
    )
    await Promise.all(watchers)
    return await report(state)
  } finally {
    await stage.close()
  }
}

/** Says one thing after another; what was said is said again elsewhere until a server has taken it. */
async function talk(state: State, session: string, index: number): Promise<void> {
  let n = 0
  for (const { asksFor, isTwice } of planTalk(state.seed, index)) {
    if (state.over.signal.aborted) return
    n += 1
    state.said.set(session, n)
    const write = `run \`echo ${session}-${n} >> ${EFFECTS}; sleep 0.2\``
    const message = asksFor === 'answer' ? '/long 80' : write
    const key = `chaos-${index}-${n}`
    await Promise.all((isTwice ? [1, 2] : [1]).map(() => send(state, session, message, key)))
  }
}

async function send(state: State, session: string, message: string, key: string): Promise<void> {
  for (;;) {
    try {
      const { server } = pickNode(state.stage, Math.random)
      const response = await fetch(`${server.url}/api/chat/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ session_id: session, message }),
        signal: AbortSignal.timeout(20_000),
      })
      const text = await response.text()
      if (response.ok && text.includes('"type":"done"')) return
    } catch {
      // Its server died, sleeps or is cut off: the next one has the answer.
    }
    await pause(100)
  }
}

/** Follows a session from its first event, changing servers whenever a connection ends. */
async function follow(state: State, session: string): Promise<void> {
  let seq = 0
  let cursor: string | undefined
  function take(frame: Frame): boolean {
    const own = Number(frame.data['seq'])
    if (own !== seq + 1) state.problems.push(`${session}: a watcher got ${own} after ${seq}`)
    seq = own
    cursor = frame.id
    state.watched += 1
    return Math.random() < 0.002
  }
  for (;;) {
    const node = pickNode(state.stage, Math.random)
    await watch(node.server, session, take, {
      ...(cursor === undefined ? {} : { after: cursor }),
      idleMs: 3000,
    })
    if (state.over.signal.aborted && (await isRead(state, session, seq))) return
  }
}

async function isRead(state: State, session: string, seq: number): Promise<boolean> {
  const [row] = (await state.stage.fleet.store.list({ ids: [session], limit: 1 })).items
  return row !== undefined && row.state === 'idle' && row.head <= seq
}

/** One fault after another until the time is over; then everything is whole again. */
async function disturb(state: State): Promise<void> {
  const { stage } = state
  for (const step of planFaults(state.seed)) {
    await pause(step.afterMs)
    if (state.over.signal.aborted) return
    // One server must be left to take over.
    await until(() => stage.nodes.filter(node => !node.busy).length > 1)
    const { fault } = step
    state.faults[fault] += 1
    const began = performance.now()
    if (fault === 'database') {
      await stage.cluster.kill()
      await pause(step.holdMs)
      await stage.cluster.start()
    } else await hurt(state, fault, step)
    state.onFault(`${describeStep(step)}: ${Math.round(performance.now() - began)} ms`)
  }
}

async function hurt(state: State, fault: Exclude<Fault, 'database'>, step: Step): Promise<void> {
  const { stage } = state
  const node = pickNode(stage, () => step.victim)
  node.busy = true
  const owned = await ownedBy(state, node)
  const began = performance.now()
  if (fault === 'kill' || fault === 'term') {
    await node.server.stop(fault === 'kill' ? 'SIGKILL' : 'SIGTERM')
    await untilTaken(state, fault, owned, began)
    stage.drop(node)
    stage.addSoon()
    return
  }
  if (fault === 'stop') node.server.child.kill('SIGSTOP')
  else node.proxy.cut()
  await untilTaken(state, fault, owned, began)
  await pause(step.holdMs)
  if (fault === 'stop') node.server.child.kill('SIGCONT')
  else node.proxy.heal()
  node.busy = false
}

interface Owner {
  readonly session: string
  readonly epoch: number
}

async function ownedBy(state: State, node: ChaosNode): Promise<readonly Owner[]> {
  const { items } = await state.stage.fleet.store.list({ state: 'running', limit: 100 })
  return items.filter(row => isOwnedBy(row, node.server)).map(row => ({ session: row.id, epoch: row.epoch }))
}

async function untilTaken(state: State, fault: Fault, owned: readonly Owner[], began: number): Promise<void> {
  const waiting = new Map(owned.map(one => [one.session, one.epoch]))
  const times = state.takeovers[fault] ?? []
  state.takeovers[fault] = times
  const giveUpAt = performance.now() + LEASE_MS * 5
  while (waiting.size > 0 || performance.now() < began + LEASE_MS * 1.2) {
    const { items } = await state.stage.fleet.store.list({ ids: [...waiting.keys()], limit: 100 })
    for (const row of items)
      if (row.epoch > (waiting.get(row.id) ?? 0) || row.state !== 'running') {
        if (row.epoch > (waiting.get(row.id) ?? 0)) times.push(performance.now() - began)
        waiting.delete(row.id)
      }
    if (performance.now() > giveUpAt) {
      const rows = items.map(row => `${row.id} (${row.owner}, epoch ${row.epoch})`).join(', ')
      state.problems.push(`nobody took over after ${fault}: ${rows}`)
      state.onFault(state.problems.at(-1) ?? '')
      return
    }
    await pause(20)
  }
}

async function report(state: State): Promise<ChaosReport> {
  const { fleet } = state.stage
  const figures = { events: 0, runs: 0, aborted: 0, unknown: 0 }
  const found = createFoundAgain([], [])
  for (const session of state.sessions) {
    const log = await readLog(fleet, session)
    state.problems.push(...checkLog(session, log))
    found.look(session, log)
    figures.events += log.length
    const inputs = log.filter(rec => rec.ev.type === 'input.message').length
    if (inputs !== state.said.get(session))
      state.problems.push(`${session}: ${inputs} messages are stored, ${state.said.get(session)} were sent`)
    for (const { ev } of log) {
      if (ev.type === 'run.started') figures.runs += 1
      if (ev.type === 'message.aborted') figures.aborted += 1
      if (ev.type === 'tool.failed' && /unknown/.test(JSON.stringify(ev))) figures.unknown += 1
    }
  }
  const writes = readEffects(join(fleet.workspace, EFFECTS))
  state.problems.push(...found.end(writes))
  const { faults, takeovers, watched, problems } = state
  return { ...figures, faults, takeovers, watched, problems, writes: writes.size }
}

function readEffects(file: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

function pickNode(stage: ChaosStage, random: () => number): ChaosNode {
  const free = stage.nodes.filter(node => !node.busy)
  const from = free.length > 0 ? free : stage.nodes
  const node = from[Math.floor(random() * from.length)]
  if (!node) throw new Error('there is no server left')
  return node
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
