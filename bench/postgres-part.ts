/** The part of the benchmark about many servers on one PostgreSQL, from its sizes to its Markdown. */
import { capacityOf } from './capacity.ts'
import { markdownTable } from './markdown-table.ts'
import { postgres } from './postgres.ts'
import { median, quantile } from './statistics.ts'

const SIZES = {
  seconds: 8,
  sessions: 1000,
  rates: [200, 2000, 10_000],
  paused: 10_000,
  watchers: 1000,
  storm: 5000,
  takeOvers: 5,
}
const QUICK = { seconds: 0.2, sessions: 5, rates: [50], paused: 10, watchers: 10, storm: 10, takeOvers: 1 }

export async function postgresPart({ quick }: { readonly quick: boolean }): Promise<string> {
  const figures = await postgres(quick ? QUICK : SIZES)
  const { copy, postgres: stored, sqlite } = figures.throughput
  const { paused, watchers, takeOvers } = figures
  const capacity = capacityOf(stored)
  const whole = (value: number): string => Math.round(value).toLocaleString('en')
  const times = (value: number): string => `${value.toFixed(2)}×`
  return markdownTable(
    ['many servers on one PostgreSQL', 'figure'],
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
        `append to a watcher on another node at ${whole(rate)} events/s`,
        `p50 ${median(ms).toFixed(0)} ms, p99 ${quantile(ms, 0.99).toFixed(0)} ms`,
      ]),
      [
        `${whole(watchers.watchers)} watchers on one node, ${whole(watchers.stalled)} of them stalled, then ${whole(watchers.storm)} reconnections`,
        `${whole(watchers.delivered)} events delivered, no gap; memory ${whole(watchers.beforeMb)} → ${whole(watchers.mostMb)} MB`,
      ],
      [
        `${whole(paused.sessions)} paused sessions more`,
        `${whole(paused.bytesEach)} bytes each in the database`,
      ],
      [
        'take-over after kill -9: from the end of the lease',
        `p50 ${median(takeOvers).toFixed(0)} ms, most ${Math.max(...takeOvers).toFixed(0)} ms`,
      ],
    ],
  )
}
