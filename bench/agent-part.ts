/** The part of the benchmark about the loop around the model, from its sizes to its Markdown. */
import { type OverlapLoad, overlap, rounds } from './agent.ts'
import { TOOLWIRE } from './contestant.ts'
import { markdownTable } from './markdown-table.ts'
import { orFailure } from './samples.ts'
import { ratio, spread } from './statistics.ts'
import { amongInstalled, label, type Size, type Told, taking, withProduct } from './takers.ts'

export async function agentPart(size: Size): Promise<Told> {
  const takers = taking(size, ({ runsTools }) => runsTools)
  const rows = await amongInstalled(size, takers, some => rounds(some, size.quick ? 2 : 50, size.rounds))
  const ours = rows.find(row => row.contestant.name === TOOLWIRE.name)?.figures.cpu_ms ?? []
  const table = markdownTable(
    ['loop', 'road', 'ms per round with one tool', 'CPU ms per round', 'CPU of ours'],
    rows.map(row =>
      orFailure(row, [
        label(row.contestant),
        row.road,
        spread(row.figures.wall_ms, 2),
        spread(row.figures.cpu_ms, 2),
        ratio(row.figures.cpu_ms, ours),
      ]),
    ),
  )
  const markdown = takers.includes(TOOLWIRE) ? `${table}\n\n${await tellOverlap(size)}` : table
  return { markdown, takers }
}

/** A smoke run shows that calls run side by side, on a machine that is busy too. */
const QUICK = { calls: 8, gap_ms: 10 }
const LOAD = { calls: 8, tool_ms: 300, gap_ms: 30 }

async function tellOverlap(size: Size): Promise<string> {
  const load: OverlapLoad = size.quick ? QUICK : LOAD
  const { span_ms, ahead_ms, at_once } = await withProduct(size, command =>
    overlap(command, load, size.rounds),
  )
  const each = load.tool_ms === undefined ? 'that wait for each other' : `of ${load.tool_ms} ms each`
  const what = `${load.calls} read-only calls ${each} in one message of ${TOOLWIRE.name}`
  return `${what}: ${spread(span_ms, 0)} ms from the first start to the last end, ${spread(at_once, 0)} of them at once; the first began ${spread(ahead_ms, 0)} ms before the message ended.`
}
