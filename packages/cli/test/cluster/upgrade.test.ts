/** A rolling upgrade: servers of this version and of the next one, whose schema has more, side by side on one database. */
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MIGRATIONS } from '../../../store/src/postgres/migrations.ts'
import { run } from '../launch.ts'
import { checkLog } from './check-log.ts'
import { type Fleet, isType, newSession, openFleet, readLog, say, until, watch } from './fleet.ts'

// Servers start slowly on a busy machine.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 })

const PACED = { TOOLWIRE_DEMO_PACE_MS: '5' }
const NEXT = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'next-schema.ts')}` }

let fleet: Fleet
beforeEach(async () => {
  fleet = await openFleet()
})
afterEach(() => fleet.close())

const version = async (): Promise<unknown> =>
  (await fleet.database.query('select version from toolwire.meta'))[0]?.['version']

test('a newer server migrates under an older one that streams; each serves the other one’s sessions, and either may go', async () => {
  const older = await fleet.start(PACED)
  const session = await newSession(older)
  let deltas = 0
  const streams = watch(older, session, frame => isType('block.delta')(frame) && ++deltas === 10)
  const whole = watch(older, session, isType('run.completed'))
  say(older, session, '/long 1200')
  await streams
  expect(await version()).toBe(MIGRATIONS.length)

  const newer = await fleet.start({ ...PACED, ...NEXT })
  expect(await version()).toBe(MIGRATIONS.length + 1)
  const seen = await whole
  const log = await readLog(fleet, session)
  expect(seen.map(frame => frame.data['seq'])).toEqual(log.map(rec => rec.seq))
  expect(checkLog(session, log)).toEqual([])
  expect(log.some(rec => rec.ev.type === 'message.aborted')).toBe(false)
  const there = await watch(newer, session, isType('run.completed'))
  expect(there.map(frame => frame.text)).toEqual(seen.map(frame => frame.text))

  // What the older one leaves behind the newer one ends, and the other way round.
  for (const [going, staying] of [
    [older, newer],
    [newer, await fleet.start(PACED)],
  ] as const) {
    const left = await newSession(going)
    let words = 0
    const begun = watch(staying, left, frame => isType('block.delta')(frame) && ++words === 10)
    say(going, left, '/long 1200')
    await begun
    await going.stop('SIGTERM')
    await until(async () => (await readLog(fleet, left)).at(-1)?.ev.type === 'run.completed')
    expect(checkLog(left, await readLog(fleet, left))).toEqual([])
  }
})

test('a program that is too old for a database refuses to start, in one sentence', async () => {
  await (await fleet.start({ ...NEXT, TOOLWIRE_TEST_WORKS_WITH: String(MIGRATIONS.length + 1) })).stop()
  const refused = await run(['--port', '0', '--database', fleet.database.url], fleet.workspace)
  expect(refused).toMatchObject({ code: 4, stdout: '' })
  expect(refused.stderr).toMatch(/^toolwire: [^\n]*use the newer program[^\n]*\n$/)
})
