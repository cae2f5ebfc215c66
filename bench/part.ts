/** The parts of the benchmark, each from its sizes to the Markdown that docs/performance.md holds of it. */
import { overlap, rounds } from './agent.ts'
import { bigInput } from './big-input.ts'
import { clientCosts } from './client-costs.ts'
import { coldStart } from './cold-start.ts'
import { type Contestant, contestants, TOOLWIRE } from './contestant.ts'
import { install } from './installed.ts'
import { latency } from './latency.ts'
import { markdownTable } from './markdown-table.ts'
import { memory } from './memory.ts'
import { viewCosts } from './partial-arguments.ts'
import { paused } from './paused.ts'
import { postgresPart } from './postgres-part.ts'
import { relay } from './relay.ts'
import { resume } from './resume.ts'
import type { Row } from './samples.ts'
import { median, quantile, ratio, spread } from './statistics.ts'
import { storeCosts } from './store.ts'
import { web } from './web.ts'

interface Size {
  /** Everything as small as it can be: shows that a part works, not what it costs. */
  readonly quick: boolean
  readonly rounds: number
  /** Names of those who take part; all that are there when absent. */
  readonly names?: readonly string[]
}

export interface Part {
  readonly name: string
  readonly title: string
  readonly run: (size: Size) => Promise<string>
}

const taking = ({ names }: Size): readonly Contestant[] =>
  contestants().filter(({ name }) => names === undefined || names.includes(name))

/**
 * Runs `work` with those who take part, the product among them as somebody has it who installed it; its sources take
 * part where only the part is shown to work. Throws when it is not quick and the web app is not built.
 */
async function amongInstalled<T>(
  size: Size,
  work: (contestants: readonly Contestant[]) => Promise<T>,
): Promise<T> {
  if (size.quick) return await work(taking(size))
  const { contestant, remove } = await install()
  try {
    const { start } = contestant
    return await work(taking(size).map(taker => (taker === TOOLWIRE ? { ...taker, start } : taker)))
  } finally {
    remove()
  }
}

const label = ({ name, durable }: Contestant): string => (durable ? `**${name}**` : name)

/** A row that has no figures says why. */
const orFailure = <F extends string>(row: Row<F>, cells: readonly string[]): readonly string[] =>
  row.failure === undefined ? cells : [...cells.slice(0, 2), `failed: ${row.failure}`, ...cells.slice(3)]

async function relayPart(size: Size): Promise<string> {
  const levels = size.quick
    ? [{ streams: 3, deltas: 20 }]
    : [
        { streams: 1, deltas: 5000 },
        { streams: 100, deltas: 500 },
        { streams: 1000, deltas: 500 },
      ]
  const rows = await amongInstalled(size, takers => relay(takers, levels, size.rounds))
  const floor = (streams: number): readonly number[] =>
    rows.find(row => row.contestant.name.startsWith('plain') && row.streams === streams)?.figures
      .cpu_us_per_delta ?? []
  const head = ['server', 'road', 'streams', 'CPU µs per delta', 'of the plain proxy', 'deltas per second']
  return markdownTable(
    head,
    rows.map(row =>
      orFailure(row, [
        label(row.contestant),
        row.road,
        String(row.streams),
        spread(row.figures.cpu_us_per_delta),
        ratio(row.figures.cpu_us_per_delta, floor(row.streams)),
        spread(row.figures.deltas_per_second, 0),
      ]),
    ),
  )
}

async function latencyPart(size: Size): Promise<string> {
  const load = size.quick ? { streams: 3, deltas: 10, paceMs: 5 } : { streams: 100, deltas: 200, paceMs: 20 }
  const rows = await amongInstalled(size, takers => latency(takers, load, size.rounds))
  const head = ['server', 'road', 'added p50, ms', 'added p99, ms', 'first token added p50, ms']
  return `${load.streams} streams, a delta every ${load.paceMs} ms each.\n\n${markdownTable(
    head,
    rows.map(row =>
      orFailure(row, [
        label(row.contestant),
        row.road,
        spread(row.figures.p50_ms),
        spread(row.figures.p99_ms),
        spread(row.figures.first_p50_ms),
      ]),
    ),
  )}`
}

async function memoryPart(size: Size): Promise<string> {
  const load = size.quick ? { streams: 5, holdMs: 100 } : { streams: 1000, holdMs: 12_000 }
  const rows = await amongInstalled(size, takers => memory(takers, load, size.rounds))
  return `${load.streams} streams open at once.\n\n${markdownTable(
    ['server', 'road', 'kB per open stream', 'MB in all'],
    rows.map(row =>
      orFailure(row, [
        label(row.contestant),
        row.road,
        spread(row.figures.kb_per_stream, 0),
        spread(row.figures.resident_mb, 0),
      ]),
    ),
  )}`
}

async function coldPart(size: Size): Promise<string> {
  const rows = await coldStart(taking(size), size.rounds)
  return markdownTable(
    ['server', 'road', 'listening after, ms', 'CPU of that, ms', 'first answer after that, ms', 'MB'],
    rows.map(row =>
      orFailure(row, [
        label(row.contestant),
        row.road,
        spread(row.figures.listen_ms, 0),
        spread(row.figures.cpu_ms, 0),
        spread(row.figures.first_answer_ms, 0),
        spread(row.figures.resident_mb, 0),
      ]),
    ),
  )
}

async function agentPart(size: Size): Promise<string> {
  const peers = taking(size).filter(({ name }) => name === 'ai-sdk')
  const rows = await rounds(peers, size.quick ? 2 : 50, size.rounds)
  const side = await overlap(8, size.quick ? 40 : 300, size.quick ? 5 : 30)
  const base = rows[0]?.cpu_ms ?? []
  const table = markdownTable(
    ['loop', 'ms per round with one tool', 'CPU ms per round', 'CPU of ours'],
    rows.map(row => [row.name, spread(row.wall_ms, 2), spread(row.cpu_ms, 2), ratio(row.cpu_ms, base)]),
  )
  return `${table}\n\n${side.calls} read-only calls of ${side.tool_ms} ms each in one message: ${side.span_ms} ms from the first start to the last end; the first began ${side.ahead_ms} ms before the message ended.`
}

async function bigInputPart(size: Size): Promise<string> {
  const server = markdownTable(
    [
      'server: characters in deltas of 16',
      'deltas in',
      'frames out',
      'CPU ms',
      'wall ms',
      'memory grown by, MB',
    ],
    (await bigInput(size.quick ? [5000, 20_000] : [250_000, 1_000_000])).map(row => [
      String(row.chars),
      String(row.deltas),
      String(row.frames),
      row.cpu_ms.toFixed(0),
      row.wall_ms.toFixed(0),
      row.grown_mb.toFixed(1),
    ]),
  )
  const costs = clientCosts(size.quick ? [2000] : [50_000, 100_000, 200_000, 1_000_000], 200_000)
  const clients = markdownTable(
    ['client', 'characters', 'deltas', 'pieces', 'CPU ms'],
    costs.map(row => [
      row.client,
      String(row.chars),
      row.how === 'each' ? 'as the provider sends them' : 'coalesced',
      String(row.pieces),
      row.ms.toFixed(0),
    ]),
  )
  const told = costs.length > 0 ? clients : 'The clients of others are not installed (`npm run bench:peers`).'
  return `${server}\n\n${told}`
}

async function viewPart({ quick }: Size): Promise<string> {
  return markdownTable(
    [
      'core’s view and partial arguments: text in pieces of 16',
      'characters',
      'CPU ms (best)',
      'ns per character',
      'of the quarter’s',
    ],
    [...viewCosts(quick ? 8000 : 1_000_000, quick ? 1 : 5)].map(({ name, chars, cpu_ms, growth }) => [
      name,
      String(chars),
      cpu_ms.toFixed(1),
      ((cpu_ms * 1e6) / chars).toFixed(0),
      growth === undefined ? '' : `${growth.toFixed(1)}×`,
    ]),
  )
}

async function resumePart({ quick }: Size): Promise<string> {
  const { frames, readers, caught_up_ms, cpu_ms_per_reader } = await resume(
    quick ? 50 : 2000,
    quick ? 3 : 200,
  )
  return markdownTable(
    [
      'readers at once, at random places',
      'frames of the answer',
      'up to date after, p50 ms',
      'p99 ms',
      'CPU ms per reader',
    ],
    [
      [
        String(readers),
        String(frames),
        median(caught_up_ms).toFixed(0),
        quantile(caught_up_ms, 0.99).toFixed(0),
        cpu_ms_per_reader.toFixed(2),
      ],
    ],
  )
}

async function pausedPart({ quick }: Size): Promise<string> {
  const result = await paused(quick ? 5 : 10_000, quick ? 10 : 10_000)
  const mb = (bytes: number): string => (bytes / 1e6).toFixed(1)
  const each = (result.heap_after - result.heap_before) / result.threads
  return markdownTable(
    ['paused sessions more', 'heap before, MB', 'heap after, MB', 'heap bytes each', 'database MB'],
    [
      [
        String(result.threads),
        mb(result.heap_before),
        mb(result.heap_after),
        each.toFixed(0),
        mb(result.database_bytes),
      ],
    ],
  )
}

async function storePart({ quick }: Size): Promise<string> {
  const rows = await storeCosts(quick ? 5 : 200, quick ? 4 : 200)
  return markdownTable(
    ['SQLite log', 'sessions at once', 'events per second', 'CPU µs per event', 'commit p50, ms', 'p99, ms'],
    rows.map(row => [
      row.kind === 'facts' ? 'facts, fsynced' : 'previews',
      String(row.sessions),
      row.events_per_second.toFixed(0),
      row.cpu_us_per_event.toFixed(1),
      row.p50_ms.toFixed(1),
      row.p99_ms.toFixed(1),
    ]),
  )
}

async function webPart({ quick }: Size): Promise<string> {
  const result = await web(quick ? 50 : 500, quick ? 100 : 1000)
  const ms = (value: number): string => `${value.toFixed(0)} ms`
  return markdownTable(
    ['web app in a real browser', 'figure'],
    [
      [`${result.events} events, ${result.calls} calls: until the end is shown`, ms(result.open_ms)],
      ['scripting of that', ms(result.open_script_ms)],
      ['elements; most while scrolling through', `${result.elements}; ${result.elements_scrolled}`],
      [`scripting per step of ${result.scroll_steps}`, ms(result.scroll_script_ms / result.scroll_steps)],
      [`${result.input_kb} kB of arguments streamed: scripting`, ms(result.input_script_ms)],
      ['longest task of that', ms(result.input_longest_task_ms)],
      [`the same over ${result.paced_s.toFixed(0)} s: scripting`, ms(result.paced_script_ms)],
      ['longest task of that', ms(result.paced_longest_task_ms)],
      [
        `slowest of ${result.paced_keys} keys typed meanwhile, until it is on the screen`,
        `${ms(result.paced_key_ms)} (median ${ms(result.paced_key_median_ms)})`,
      ],
      ['slowest of them, until the page is done with it', ms(result.paced_taken_ms)],
    ],
  )
}

export const PARTS: readonly Part[] = [
  { name: 'relay', title: 'Relay: CPU per delta', run: relayPart },
  { name: 'latency', title: 'Latency at the pace of a model', run: latencyPart },
  { name: 'memory', title: 'Memory per open stream', run: memoryPart },
  { name: 'cold', title: 'Cold start', run: coldPart },
  { name: 'agent', title: 'Agent: rounds and tools', run: agentPart },
  { name: 'big-input', title: 'One large tool input', run: bigInputPart },
  { name: 'view', title: 'Text in the view', run: viewPart },
  { name: 'resume', title: 'Resume', run: resumePart },
  { name: 'paused', title: 'Paused sessions', run: pausedPart },
  { name: 'store', title: 'Store', run: storePart },
  { name: 'postgres', title: 'PostgreSQL', run: postgresPart },
  { name: 'web', title: 'Web app', run: webPart },
]
