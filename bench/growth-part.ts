/** The part of the benchmark that compares small and large data. */
import { TOOLWIRE } from './contestant.ts'
import { type GrowthLoad, growth, type SessionsRow } from './growth.ts'
import { markdownTable } from './markdown-table.ts'
import { type Size, type Told, withProduct } from './takers.ts'

const QUICK: GrowthLoad = { turns: [2, 20], sessions: [5, 50], repeats: 2 }
const FULL: GrowthLoad = { turns: [20, 200, 2000], sessions: [100, 70_000, 100_000], repeats: 20 }

export async function growthPart(size: Size): Promise<Told> {
  const { turns, sessions } = await withProduct(size, command => growth(command, size.quick ? QUICK : FULL))
  const number = (value: number): string => value.toFixed(1)
  const byTurns = markdownTable(
    [
      'turns in the session',
      'CPU ms per turn',
      'CPU ms from a client tool’s output to the end',
      'CPU ms from an approval to the end',
      'GET of the session, ms',
      'first turn after a restart, ms',
    ],
    turns.map(row => [
      String(row.turns),
      ...[row.cpu_ms, row.output_cpu_ms, row.approval_cpu_ms, row.get_ms, row.first_ms].map(number),
    ]),
  )
  const ROWS: readonly (readonly [string, (row: SessionsRow) => number])[] = [
    ['database, MB', row => row.mb],
    ['start to listening, ms', row => row.listen_ms],
    ['the same, database not in the page cache, ms', row => row.cold_listen_ms],
    ['search of a word that all sessions have, ms', row => row.search_ms],
    ['`/api/pending` with nothing pending, ms', row => row.pending_ms],
    ['`/api/storage`, ms', row => row.storage_ms],
    ['`/metrics`, ms', row => row.metrics_ms],
    ['idle CPU, ms per second', row => row.idle_ms_per_s],
  ]
  const bySessions = markdownTable(
    ['sessions', ...sessions.map(row => String(row.sessions))],
    ROWS.map(([name, pick]) => [name, ...sessions.map(row => number(pick(row)))]),
  )
  return { markdown: `${byTurns}\n\n${bySessions}`, takers: [TOOLWIRE] }
}
