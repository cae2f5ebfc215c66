/** The part of the benchmark about many servers on one PostgreSQL, from its sizes to its Markdown. */

import type { Round, WatcherFigures } from '../packages/cli/test/cluster/watchers.ts'
import { capacityOf } from './capacity.ts'
import { markdownTable } from './markdown-table.ts'
import { postgres } from './postgres.ts'
import { useEveryCore } from './spawn-subject.ts'
import { median, quantile } from './statistics.ts'

const SIZES = {
  seconds: 8,
  sessions: 1000,
  rates: [200, 2000, 10_000],
  paused: 10_000,
  watchers: 1000,
  bulk: 48,
  paced: 100,
  storm: 5000,
  takeOvers: 5,
}
const QUICK = {
  seconds: 0.2,
  sessions: 5,
  rates: [50],
  paused: 10,
  watchers: 10,
  bulk: 1,
  paced: 10,
  storm: 10,
  takeOvers: 1,
}

export async function postgresPart({ quick }: { readonly quick: boolean }): Promise<string> {
  // Database, nodes and readers are all measured and may use every core.
  const restoreCores = useEveryCore()
  const began = performance.now()
  const tell = (what: string): void =>
    void process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0)} s: ${what}\n`)
  try {
    return toTable(await postgres(quick ? QUICK : SIZES, quick ? undefined : tell))
  } finally {
    restoreCores()
  }
}

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const times = (value: number): string => `${value.toFixed(2)}×`
const spread = (ms: readonly number[]): string =>
  `p50 ${whole(median(ms))} ms, p99 ${whole(quantile(ms, 0.99))} ms`

function toTable(figures: Awaited<ReturnType<typeof postgres>>): string {
  const { copy, postgres: stored, sqlite } = figures.throughput
  const { paused, takeOvers } = figures
  const capacity = capacityOf(stored)
  return markdownTable(
    ['many servers on one PostgreSQL', 'value'],
    [
      ['COPY of the same bytes in transactions of 1,000 rows', `${whole(copy)} events/s`],
      [
        'store, one node',
        `${whole(stored)} events/s, ${times(stored / copy)} of COPY, ${times(stored / sqlite)} of SQLite`,
      ],
      [
        'that is, answers streaming at once · people in conversation',
        `about ${whole(capacity.answersAtOnce)} · about ${whole(capacity.people)}`,
      ],
      ['SQLite store in the same run', `${whole(sqlite)} events/s`],
      ...figures.tails.map(({ rate, times: ms }) => [
        `append to a reader in another process at ${whole(rate)} events/s`,
        spread(ms),
      ]),
      ...watcherRows(figures.watchers),
      [
        `${whole(paused.sessions)} paused sessions more`,
        `${whole(paused.bytesEach)} bytes each in the database`,
      ],
      [
        'take-over after kill -9: from the end of the lease',
        `p50 ${whole(median(takeOvers))} ms, most ${whole(Math.max(...takeOvers))} ms`,
      ],
    ],
  )
}

function watcherRows({
  allRead,
  tenthStalled,
  stormed,
  watchers,
  storm,
  delivered,
}: WatcherFigures): readonly string[][] {
  const memory = ({ rested, open, end, mostMb }: Round): string => {
    const looks = [rested, open, end]
    const resident = looks.map(look => whole(look.residentMb)).join(' · ')
    const inUse = looks.map(look => whole(look.heapMb + look.buffersMb)).join(' · ')
    return `resident ${resident} MB, at most ${whole(mostMb)}; in use ${inUse} MB`
  }
  return [
    [
      `${whole(watchers)} watchers on one fresh node, all of them reading: memory with none · with them · at the end`,
      `${spread(allRead.delays)}; ${memory(allRead)}`,
    ],
    [
      `the same on another, where ${whole(tenthStalled.stalled)} of them come later and never read: memory with none · with the others · at the end`,
      `${spread(tenthStalled.delays)}; ${memory(tenthStalled)}`,
    ],
    [
      `${whole(storm)} reconnections at random places during an answer, on another: memory with none · the same · at the end`,
      memory(stormed),
    ],
    ['events delivered to watchers and checked', `${whole(delivered)}, no gap, no repeat`],
  ]
}
