/** A server dies, sleeps or is cut off in mid-work: another one takes over, and no write is done twice. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Rec } from '@toolwire/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Launched } from '../launch.ts'
import { type DroppingProxy, startDroppingProxy } from './dropping-proxy.ts'
import {
  ask,
  type Fleet,
  isOwnedBy,
  isType,
  keepFigure,
  newSession,
  openFleet,
  readLog,
  rowOf,
  say,
  startLong,
  until,
  watch,
} from './fleet.ts'
import { type Witness, watchTakeOvers } from './take-over-witness.ts'

// Servers start slowly on a busy machine.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 })

let fleet: Fleet
let witness: Witness
beforeEach(async () => {
  fleet = await openFleet()
  witness = await watchTakeOvers(fleet.database)
})
afterEach(() => fleet.close())

const PACED = { TOOLWIRE_DEMO_PACE_MS: '5' }
/** For faults in mid-answer: on the busiest machine the fault comes before the end. */
const SLOW = { TOOLWIRE_DEMO_PACE_MS: '40' }
const types = (log: readonly Rec[]): readonly string[] => log.map(rec => rec.ev.type)
const count = (log: readonly Rec[], type: string): number => types(log).filter(one => one === type).length

function expectSound(log: readonly Rec[]): void {
  expect(log.map(rec => rec.seq)).toEqual(log.map((_, i) => i + 1))
  const epochs = log.map(rec => rec.epoch)
  expect(epochs).toEqual(epochs.toSorted((a, b) => a - b))
}

async function completed(session: string, runs = 1): Promise<readonly Rec[]> {
  await until(async () => count(await readLog(fleet, session), 'run.completed') >= runs)
  return await readLog(fleet, session)
}

const epochOf = async (session: string): Promise<number> => (await rowOf(fleet, session))?.epoch ?? 0

/** Another node has claimed it since, or had claimed and finished it before. */
async function takenOver(session: string, before: number): Promise<void> {
  await until(async () => {
    const row = await rowOf(fleet, session)
    return row !== undefined && (row.epoch > before || row.state === 'idle')
  })
}

/** Not before the lease has ended, and at most a second after that, on the database's clock. */
async function expectTimelyTakeOver(session: string): Promise<void> {
  const [first, ...others] = await witness.takeOvers(session)
  expect(others).toEqual([])
  expect(first?.lateMs).toBeGreaterThanOrEqual(0)
  expect((first?.lateMs ?? 0) - (first?.starvedMs ?? 0)).toBeLessThanOrEqual(1000)
}

/** A command that leaves a line, then works for as long as the file is there: until the workspace is removed. */
const slowWrite = (name: string): string =>
  `run \`echo started >> ${name}; while [ -e ${name} ]; do sleep 0.1; done\``
const linesOf = (name: string): readonly string[] => {
  try {
    return readFileSync(join(fleet.workspace, name), 'utf8').trim().split('\n')
  } catch {
    return []
  }
}

test('kill -9 in mid-answer: another server takes over, watchers continue, one end', async () => {
  const [first, second] = await Promise.all([fleet.start(SLOW), fleet.start(PACED)])
  const session = await startLong(fleet, first, second)
  const watched = watch(second, session, isType('run.completed'))
  const epoch = await epochOf(session)
  const died = performance.now()
  await first.stop('SIGKILL')
  await takenOver(session, epoch)
  const tookMs = performance.now() - died
  keepFigure('takeover-kill', tookMs)
  const frames = await watched
  const log = await completed(session)
  expectSound(log)
  expect(frames.map(frame => frame.data['seq'])).toEqual(log.map(rec => rec.seq))
  expect(count(log, 'message.aborted')).toBe(1)
  expect(count(log, 'run.completed')).toBe(1)
  expect(new Set(log.map(rec => rec.epoch)).size).toBe(3)
  await expectTimelyTakeOver(session)
})

test('kill -9 while a write tool works: it is never run again, its call is closed as unknown, the run comes to its end', async () => {
  const [first, second] = await Promise.all([fleet.start(), fleet.start()])
  const session = await newSession(first)
  say(first, session, slowWrite('killed.txt'))
  await until(() => linesOf('killed.txt').includes('started'))
  await first.stop('SIGKILL')
  const log = await completed(session)
  expectSound(log)
  expect(linesOf('killed.txt').filter(line => line === 'started')).toHaveLength(1)
  const ends = log.filter(rec => rec.ev.type === 'tool.completed' || rec.ev.type === 'tool.failed')
  expect(ends).toHaveLength(1)
  expect(JSON.stringify(ends[0]?.ev)).toMatch(/unknown|interrupted/)
  expect((await ask<{ readonly status: string }>(second, `/api/sessions/${session}`)).body.status).toBe(
    'idle',
  )
})

test('SIGSTOP longer than the lease, then SIGCONT: the sleeper finds itself fenced and writes nothing more', async () => {
  const [first, second] = await Promise.all([fleet.start(SLOW), fleet.start(PACED)])
  const session = await startLong(fleet, first, second)
  const epoch = await epochOf(session)
  first.child.kill('SIGSTOP')
  const stopped = performance.now()
  await takenOver(session, epoch)
  keepFigure('takeover-stop', performance.now() - stopped)
  first.child.kill('SIGCONT')
  const log = await completed(session)
  // The sleeper is awake again and serves: whatever it wanted to add would be there by now.
  await until(async () => (await ask(first, '/readyz')).status === 200)
  expect(await readLog(fleet, session)).toEqual(log)
  expectSound(log)
  await expectTimelyTakeOver(session)
  expect(count(log, 'message.aborted')).toBe(1)
  expect(count(log, 'run.completed')).toBe(1)
  const again = await newSession(first)
  say(first, again, 'hello')
  expectSound(await completed(again))
})

test('SIGSTOP while a write tool works: neither the sleeper nor the new owner does it a second time', async () => {
  const [first, second] = await Promise.all([fleet.start(), fleet.start()])
  const session = await newSession(second)
  say(first, session, slowWrite('slept.txt'))
  await until(() => linesOf('slept.txt').includes('started'))
  first.child.kill('SIGSTOP')
  await completed(session)
  first.child.kill('SIGCONT')
  await until(async () => (await ask(first, '/readyz')).status === 200)
  const log = await readLog(fleet, session)
  expectSound(log)
  expect(linesOf('slept.txt').filter(line => line === 'started')).toHaveLength(1)
  expect(count(log, 'tool.started')).toBe(1)
})

test('a partition from the database: the disconnected server stops by itself, another continues, and after the heal all is one log', async () => {
  const proxy: DroppingProxy = await startDroppingProxy(Number(new URL(fleet.database.url).port))
  try {
    const far = new URL(fleet.database.url)
    far.port = String(proxy.port)
    const [first, second] = await Promise.all([
      fleet.start({ ...SLOW, DATABASE_URL: far.href }),
      fleet.start(PACED),
    ])
    const session = await startLong(fleet, first, second)
    const epoch = await epochOf(session)
    proxy.cut()
    const cut = performance.now()
    await takenOver(session, epoch)
    keepFigure('takeover-partition', performance.now() - cut)
    const log = await completed(session)
    proxy.heal()
    await until(async () => (await ask(first, '/readyz')).status === 200)
    expect(await readLog(fleet, session)).toEqual(log)
    expectSound(log)
    await expectTimelyTakeOver(session)
    const again = await newSession(first)
    say(first, again, 'hello')
    expectSound(await completed(again))
  } finally {
    proxy.close()
  }
})

/** Every claim of an unowned session takes a second. */
const SLOW_CLAIM = `
create function public.wait() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return null; end $$;
create trigger slow after update on toolwire.session for each row
  when (old.owner is null and new.owner is not null) execute function public.wait()`
const CLAIMING = "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"

test('the response to a claim is lost: the server that owns a session without knowing it claims it all the same', async () => {
  const { database } = fleet
  const port = Number(new URL(database.url).port)
  const proxy = await startDroppingProxy(port)
  try {
    const far = new URL(database.url)
    far.port = String(proxy.port)
    const env = { ...PACED, TOOLWIRE_LEASE_MS: '300000', DATABASE_URL: far.href }
    const node = await fleet.start(env)
    const session = await newSession(node)
    await database.query(SLOW_CLAIM)
    say(node, session, 'hello')
    await until(async () => (await database.query(CLAIMING)).length > 0)
    proxy.cut()
    await until(async () => isOwnedBy(await rowOf(fleet, session), node))
    await database.query('drop trigger slow on toolwire.session')
    proxy.redirect(port)
    proxy.heal()
    const log = await completed(session)
    expectSound(log)
    expect(await epochOf(session)).toBe(2)
  } finally {
    proxy.close()
  }
})

test('a server whose clock is an hour ahead neither steals nor loses a session', async () => {
  const skew = join(import.meta.dirname, 'skewed-clock.ts')
  const ahead = { ...PACED, NODE_OPTIONS: `--import=${skew}` }
  const [first, second] = await Promise.all([fleet.start(PACED), fleet.start(ahead)])
  const sessions = await Promise.all([startLong(fleet, first, second), startLong(fleet, second, first)])
  for (const session of sessions) {
    const log = await completed(session)
    expectSound(log)
    expect(count(log, 'message.aborted')).toBe(0)
    expect(Math.max(...log.map(rec => rec.epoch))).toBe(1)
    expect(await witness.takeOvers(session)).toEqual([])
  }
})

/** What a balancer hears that asks a server again and again, until it is gone. */
async function readiness(node: Launched): Promise<readonly (number | 'gone')[]> {
  const answers: (number | 'gone')[] = []
  while (answers.at(-1) !== 'gone') {
    answers.push(
      await fetch(`${node.url}/readyz`).then(
        response => response.status,
        () => 'gone' as const,
      ),
    )
    expect(
      await fetch(`${node.url}/healthz`).then(
        response => response.status,
        () => 200,
      ),
    ).toBe(200)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return answers
}

test('SIGTERM: runs finish within the grace, or continue at another server at once', async () => {
  const [first, second] = await Promise.all([
    fleet.start({ TOOLWIRE_DEMO_PACE_MS: '15', TOOLWIRE_DRAIN_MS: '300000' }),
    fleet.start(SLOW),
  ])
  const patient = await startLong(fleet, first, second)
  const answers = readiness(first)
  expect((await first.stop('SIGTERM')).code).toBe(0)
  // Ready, then not ready while it drains, then gone: never ready again.
  expect((await answers).join(' ')).toMatch(/^(200 )*(503 )+gone$/)
  const log = await completed(patient)
  expectSound(log)
  expect(count(log, 'message.aborted')).toBe(0)

  const third = await fleet.start(PACED)
  const cut = await startLong(fleet, second, third)
  const told = performance.now()
  const epoch = await epochOf(cut)
  expect((await second.stop('SIGTERM')).code).toBe(0)
  await takenOver(cut, epoch)
  keepFigure('handoff-term', performance.now() - told)
  const taken = await completed(cut)
  expectSound(taken)
  expect(count(taken, 'message.aborted')).toBe(1)
})

test('an approval that waits outlives every server that knew of it', async () => {
  const first = await fleet.start()
  const session = await newSession(first, { permission_mode: 'default' })
  say(first, session, '/ask')
  const pause = (await watch(first, session, isType('run.paused'))).at(-1)?.data as unknown as
    | { readonly pending: readonly { readonly id: string }[] }
    | undefined
  await first.stop('SIGKILL')
  const second = await fleet.start()
  const answer = await ask(second, `/api/approvals/${pause?.pending[0]?.id}`, { decision: 'approved' })
  expect(answer).toMatchObject({ status: 200, body: { first: true } })
  const log = await completed(session)
  expectSound(log)
  expect(count(log, 'tool.completed')).toBe(1)
})
