/** Many servers on one PostgreSQL of the benchmark's own: throughput, latency, watchers, paused sessions, take-over. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Fleet,
  isType,
  newSession,
  openFleet,
  say,
  until,
  watch,
} from '../packages/cli/test/cluster/fleet.ts'
import { watchTakeOvers } from '../packages/cli/test/cluster/take-over-witness.ts'
import { runWatchers, type WatcherFigures } from '../packages/cli/test/cluster/watchers.ts'
import { type Cluster, createCluster } from '../packages/store/test/postgres/cluster.ts'
import { createTestDatabase } from '../packages/store/test/postgres/test-database.ts'
import { type PausedCost, pausedCost, type Throughput, tailLatency, throughput } from './postgres-store.ts'

interface PostgresSizes {
  readonly seconds: number
  readonly sessions: number
  readonly rates: readonly number[]
  readonly paused: number
  readonly watchers: number
  readonly storm: number
  readonly takeOvers: number
}

interface PostgresFigures {
  readonly throughput: Throughput
  readonly tails: readonly { readonly rate: number; readonly times: readonly number[] }[]
  readonly paused: PausedCost
  readonly watchers: WatcherFigures
  /** Milliseconds from the end of a dead server's lease to the claim of another, on the database's clock. */
  readonly takeOvers: readonly number[]
}

/** Throws when a watcher missed something. */
export async function postgres(sizes: PostgresSizes): Promise<PostgresFigures> {
  const cluster = await createCluster({ dir: mkdtempSync(join(tmpdir(), 'toolwire-bench-pg-')), fsync: true })
  try {
    await cluster.start()
    const carried = await throughput(cluster, sizes.seconds, sizes.sessions)
    const tails: { readonly rate: number; readonly times: readonly number[] }[] = []
    for (const rate of sizes.rates)
      tails.push({ rate, times: await tailLatency(cluster, rate, sizes.seconds) })
    const paused = await pausedCost(cluster, sizes.paused)
    const { watchers, takeOvers } = await onFleet(cluster, fleet => servers(fleet, sizes))
    if (watchers.problems.length > 0) throw new Error(watchers.problems.slice(0, 3).join('; '))
    return { throughput: carried, tails, paused, watchers, takeOvers }
  } finally {
    await cluster.remove()
  }
}

async function servers(
  fleet: Fleet,
  sizes: PostgresSizes,
): Promise<Pick<PostgresFigures, 'watchers' | 'takeOvers'>> {
  const start = (paceMs: number) => fleet.start({ TOOLWIRE_DEMO_PACE_MS: String(paceMs) })
  const [far, near] = await Promise.all([start(5), start(5)])
  const watchers = await runWatchers(fleet, [far, near], { ...sizes, seed: 1 })
  const witness = await watchTakeOvers(fleet.database)
  const takeOvers: number[] = []
  for (let i = 0; i < sizes.takeOvers; i++) {
    // So slow that it is in mid-answer when it is killed.
    const victim = await start(50)
    const session = await newSession(near)
    let deltas = 0
    const begun = watch(near, session, frame => isType('block.delta')(frame) && ++deltas === 5)
    say(victim, session, '/long 2000')
    await begun
    await victim.stop('SIGKILL')
    await until(async () => (await witness.takeOvers(session)).length > 0)
    takeOvers.push(...(await witness.takeOvers(session)).map(one => one.lateMs))
  }
  return { watchers, takeOvers }
}

async function onFleet<T>(cluster: Cluster, work: (fleet: Fleet) => Promise<T>): Promise<T> {
  const fleet = await openFleet(await createTestDatabase(`${cluster.url}/postgres`))
  try {
    return await work(fleet)
  } finally {
    await fleet.close()
  }
}
