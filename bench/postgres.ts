/** Many servers on one PostgreSQL of the benchmark's own: throughput, latency, watchers, paused sessions, take-over. */
import {
  type Fleet,
  openFleetAndCluster,
  rowOf,
  startLong,
  until,
} from '../packages/cli/test/cluster/fleet.ts'
import { type Witness, watchTakeOvers } from '../packages/cli/test/cluster/take-over-witness.ts'
import { runWatchers, type WatcherFigures } from '../packages/cli/test/cluster/watchers.ts'
import type { Launched } from '../packages/cli/test/launch.ts'
import { type PausedCost, pausedCost, type Throughput, tailLatency, throughput } from './postgres-store.ts'
import type { Tail } from './postgres-tail.ts'

interface PostgresSizes {
  readonly seconds: number
  readonly sessions: number
  readonly rates: readonly number[]
  readonly paused: number
  readonly watchers: number
  readonly bulk: number
  readonly paced: number
  readonly storm: number
  readonly takeOvers: number
}

interface PostgresFigures {
  readonly throughput: Throughput
  readonly tails: readonly Tail[]
  readonly paused: PausedCost
  readonly watchers: WatcherFigures
  /** Milliseconds from the end of a dead server's lease to the claim of another, on the database's clock. */
  readonly takeOvers: readonly number[]
}

/** `onStage` hears what begins. Throws when a watcher missed something. */
export async function postgres(
  sizes: PostgresSizes,
  onStage: (what: string) => void = () => {},
): Promise<PostgresFigures> {
  const { cluster, fleet, close } = await openFleetAndCluster()
  try {
    onStage('throughput')
    const carried = await throughput(cluster, sizes.seconds, sizes.sessions)
    const tails: Tail[] = []
    for (const rate of sizes.rates) {
      onStage(`tail at ${rate} events/s`)
      tails.push(await tailLatency(cluster, rate, sizes.seconds))
    }
    onStage('paused sessions')
    const paused = await pausedCost(cluster, sizes.paused)
    onStage('watchers')
    const watchers = await runWatchers(fleet, { ...sizes, seed: 1 })
    if (watchers.problems.length > 0) throw new Error(watchers.problems.slice(0, 3).join('; '))
    onStage('take-over')
    const start = () => fleet.start({ TOOLWIRE_DEMO_PACE_MS: '50' })
    const watcher = await start()
    const witness = await watchTakeOvers(fleet.database)
    const takeOvers: number[] = []
    while (takeOvers.length < sizes.takeOvers)
      takeOvers.push(...(await takeOver(fleet, witness, { victim: await start(), watcher })))
    return { throughput: carried, tails, paused, watchers, takeOvers }
  } finally {
    await close()
  }
}

/** Undefined if the response had ended before its server was killed: then there was nothing to take over. */
async function takeOver(
  fleet: Fleet,
  witness: Witness,
  { victim, watcher }: { readonly victim: Launched; readonly watcher: Launched },
): Promise<readonly number[]> {
  const session = await startLong(fleet, victim, watcher)
  await victim.stop('SIGKILL')
  await until(
    async () =>
      (await witness.takeOvers(session)).length > 0 || (await rowOf(fleet, session))?.state === 'idle',
  )
  return (await witness.takeOvers(session)).map(one => one.lateMs)
}
