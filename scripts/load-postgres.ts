/** `npm run load -- --postgres`: thousands of watchers on one of two servers that share a database, and a table of figures. */
import { openFleetAndCluster } from '../packages/cli/test/cluster/fleet.ts'
import { runWatchers } from '../packages/cli/test/cluster/watchers.ts'

interface PostgresLoad {
  readonly watchers: number
  readonly paced: number
  readonly storm: number
  readonly seed: number
}

/** Returns how many problems there were; each is printed. */
export async function loadPostgres(load: PostgresLoad): Promise<number> {
  const { fleet, close } = await openFleetAndCluster()
  try {
    const start = () => fleet.start({ TOOLWIRE_DEMO_PACE_MS: '5' })
    const { allRead, tenthStalled, stormed, delivered, problems } = await runWatchers(
      fleet,
      await Promise.all([start(), start()]),
      load,
    )
    const row = (what: string, clients: number, round: typeof stormed, delays: readonly number[]): void => {
      const memory = `${Math.round(round.beforeMb)} · ${Math.round(round.mostMb)}`
      process.stdout.write(`| ${what} | ${clients} | ${memory} | ${spread(delays)} |\n`)
    }
    process.stdout.write(
      '| part | clients | server memory before · most (MB) | delay p50 · p99 (ms) |\n|---|---|---|---|\n',
    )
    row('watchers that read', load.watchers, allRead, allRead.delays)
    row(`the same, ${tenthStalled.stalled} never read`, load.watchers, tenthStalled, tenthStalled.delays)
    row('reconnections at random places', load.storm, stormed, [])
    process.stdout.write(`\n${delivered} events delivered and checked, ${problems.length} problems\n`)
    for (const problem of problems.slice(0, 10)) process.stdout.write(`PROBLEM ${problem}\n`)
    return problems.length
  } finally {
    await close()
  }
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0
  return sorted.length === 0 ? '–' : `${at(0.5)} · ${at(0.99)}`
}
