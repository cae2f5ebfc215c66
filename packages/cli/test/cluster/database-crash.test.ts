/**
 * The database itself is killed under load: servers wait, watchers stay, and everything continues where it was.
 */
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  ask,
  isType,
  keepFigure,
  newSession,
  openFleetAndCluster,
  readLog,
  say,
  until,
  watch,
} from './fleet.ts'

interface Refusal {
  readonly error: { readonly code: string }
}

// Servers start slowly on a busy machine.
vi.setConfig({ testTimeout: 400_000 })

test('kill -9 of PostgreSQL in mid-answer: no event that was seen is lost, none comes twice, runs end once', async () => {
  const { cluster, fleet, close } = await openFleetAndCluster()
  onTestFinished(close)
  const settings = { TOOLWIRE_DEMO_PACE_MS: '5', TOOLWIRE_LEASE_MS: '60000' }
  const [first, second] = await Promise.all([fleet.start(settings), fleet.start(settings)])
  const sessions = await Promise.all([first, second, first, second].map(node => newSession(node)))
  const started = sessions.map((session, i) => {
    let deltas = 0
    return watch(
      i % 2 === 0 ? second : first,
      session,
      frame => isType('block.delta')(frame) && ++deltas === 5,
    )
  })
  const watched = sessions.map((session, i) =>
    watch(i % 2 === 0 ? second : first, session, isType('run.completed')),
  )
  for (const [i, session] of sessions.entries()) say(i % 2 === 0 ? first : second, session, '/long 500')
  await Promise.all(started)

  await cluster.kill()
  // The process lives and says so; it cannot serve and says that too.
  expect((await ask(first, '/healthz')).status).toBe(200)
  expect((await ask<Refusal>(first, '/readyz')).body.error.code).toBe('storage_error')
  await cluster.start()
  const back = performance.now()
  const heads = async (): Promise<number> =>
    (await fleet.store.list({ ids: sessions, limit: 10 })).items.reduce((sum, row) => sum + row.head, 0)
  const before = await heads()
  await until(async () => (await heads()) > before)
  keepFigure('flow-after-database-kill', performance.now() - back)

  await until(async () => (await ask(first, '/readyz')).status === 200)
  const seen = await Promise.all(watched)
  for (const [i, session] of sessions.entries()) {
    const log = await readLog(fleet, session)
    expect(log.map(rec => rec.seq)).toEqual(log.map((_, at) => at + 1))
    expect(seen[i]?.map(frame => frame.data['seq'])).toEqual(log.map(rec => rec.seq))
    expect(log.filter(rec => rec.ev.type === 'run.completed')).toHaveLength(1)
    // The owner waited and continued: no other node had to take over, and nothing was cut.
    expect(log.filter(rec => rec.ev.type === 'message.aborted')).toHaveLength(0)
  }
})
