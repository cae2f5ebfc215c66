/** The parts of the benchmark, each from its sizes to the Markdown that docs/performance-results.md holds of it. */
import { agentPart } from './agent-part.ts'
import { bigInputPart } from './big-input-part.ts'
import { coldStart } from './cold-start.ts'
import { TOOLWIRE } from './contestant.ts'
import { growthPart } from './growth-part.ts'
import { latency } from './latency.ts'
import { markdownTable } from './markdown-table.ts'
import { memory } from './memory.ts'
import { paced } from './paced.ts'
import { viewCosts } from './partial-arguments.ts'
import { paused } from './paused.ts'
import { postgresPart } from './postgres-part.ts'
import { relay } from './relay.ts'
import { resume } from './resume.ts'
import { orFailure, type Row } from './samples.ts'
import { stallsPart } from './stalls-part.ts'
import { ratio, spread } from './statistics.ts'
import { storeCosts } from './store.ts'
import { amongInstalled, label, type Size, type Told, taking, withProduct } from './takers.ts'
import { web } from './web.ts'

export interface Part {
  readonly name: string
  readonly title: string
  readonly run: (size: Size) => Promise<Told>
}

/** Measured for the product alone. */
const ofProduct = (markdown: string): Told => ({ markdown, takers: [TOOLWIRE] })

/** A table of those who have rows. */
const ofRows = <F extends string>(
  rows: readonly Row<F>[],
  head: readonly string[],
  figures: (row: Row<F>) => readonly string[],
): Told => ({
  markdown: markdownTable(
    ['server', 'route', ...head],
    rows.map(row => orFailure(row, [label(row.contestant), row.road, ...figures(row)])),
  ),
  takers: rows.map(row => row.contestant),
})

/** With a sentence before the table. */
const after = (sentence: string, { markdown, takers }: Told): Told => ({
  markdown: `${sentence}\n\n${markdown}`,
  takers,
})

async function relayPart(size: Size): Promise<Told> {
  const levels = size.quick
    ? [{ streams: 3, deltas: 20 }]
    : [
        { streams: 1, deltas: 5000 },
        { streams: 100, deltas: 500 },
        { streams: 1000, deltas: 500 },
      ]
  const rows = await amongInstalled(size, taking(size), takers => relay(takers, levels, size.rounds))
  return ofRows(
    rows,
    ['streams', 'CPU µs per delta', 'of the proxy of the same API', 'deltas per second'],
    ({ figures, road, size: streams }) => [
      String(streams),
      spread(figures.cpu_us_per_delta),
      ratio(figures.cpu_us_per_delta, proxyCpu(rows, road, streams)),
      spread(figures.deltas_per_second, 0),
    ],
  )
}

async function latencyPart(size: Size): Promise<Told> {
  const load = size.quick ? { streams: 3, deltas: 10, paceMs: 5 } : { streams: 100, deltas: 200, paceMs: 20 }
  const rows = await amongInstalled(size, taking(size), takers => latency(takers, load, size.rounds))
  const head = ['added p50, ms', 'added p99, ms', 'first token added p50, ms']
  return after(
    `${load.streams} streams, a delta every ${load.paceMs} ms each.`,
    ofRows(rows, head, ({ figures }) => [
      spread(figures.p50_ms),
      spread(figures.p99_ms),
      spread(figures.first_p50_ms),
    ]),
  )
}

/** CPU per delta of the proxy of the same API; of the provider's API for routes that no provider has. */
function proxyCpu(
  rows: readonly Row<'cpu_us_per_delta'>[],
  road: string,
  streams: number,
): readonly number[] {
  const proxies = rows.filter(row => row.contestant.name.startsWith('plain') && row.size === streams)
  const same = proxies.find(row => row.road === road) ?? proxies[0]
  return same?.figures.cpu_us_per_delta ?? []
}

async function pacedPart(size: Size): Promise<Told> {
  const load = size.quick ? { streams: 3, deltas: 10, paceMs: 5 } : { streams: 100, deltas: 150, paceMs: 20 }
  const rows = await amongInstalled(size, taking(size), takers => paced(takers, load, size.rounds))
  const head = [
    'CPU µs per delta',
    'of the proxy of the same API',
    'bytes per delta',
    'frames per delta',
    'first token, ms',
  ]
  return after(
    `${load.streams} streams, a delta every ${load.paceMs} ms each. A server that joins deltas sends fewer frames, which is less output for the same CPU.`,
    ofRows(rows, head, ({ road, figures }) => [
      spread(figures.cpu_us_per_delta),
      ratio(figures.cpu_us_per_delta, proxyCpu(rows, road, load.streams)),
      spread(figures.bytes_per_delta, 0),
      spread(figures.frames_per_delta, 2),
      spread(figures.first_ms),
    ]),
  )
}

async function memoryPart(size: Size): Promise<Told> {
  const load = size.quick ? { streams: 5, holdMs: 100 } : { streams: 1000, holdMs: 20_000 }
  const rows = await amongInstalled(size, taking(size), takers => memory(takers, load, size.rounds))
  return after(
    `${load.streams} streams open at once.`,
    ofRows(rows, ['kB per open stream', 'at most', 'MB in all'], ({ figures }) => [
      spread(figures.kb_per_stream, 0),
      spread(figures.most_kb_per_stream, 0),
      spread(figures.resident_mb, 0),
    ]),
  )
}

async function coldPart(size: Size): Promise<Told> {
  const rows = await coldStart(taking(size), size.rounds)
  const head = ['listening after, ms', 'CPU of that, ms', 'first answer after that, ms', 'MB']
  return ofRows(rows, head, ({ figures }) => [
    spread(figures.listen_ms, 0),
    spread(figures.cpu_ms, 0),
    spread(figures.first_answer_ms, 0),
    spread(figures.resident_mb, 0),
  ])
}

async function viewPart({ quick }: Size): Promise<Told> {
  return ofProduct(
    markdownTable(
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
    ),
  )
}

async function resumePart(size: Size): Promise<Told> {
  const load = size.quick ? { deltas: 50, readers: 3 } : { deltas: 2000, readers: 200 }
  const figures = await withProduct(size, command => resume(command, load, size.rounds))
  return ofProduct(
    markdownTable(
      [
        'readers at once, at random places',
        'frames of the answer',
        'up to date after, p50 ms',
        'p99 ms',
        'CPU ms per reader',
      ],
      [
        [
          String(load.readers),
          spread(figures.frames, 0),
          spread(figures.p50_ms, 0),
          spread(figures.p99_ms, 0),
          spread(figures.cpu_ms_per_reader, 2),
        ],
      ],
    ),
  )
}

async function pausedPart(size: Size): Promise<Told> {
  const load = size.quick ? { warm: 5, threads: 10 } : { warm: 10_000, threads: 10_000 }
  const figures = await withProduct(size, command => paused(command, load, size.rounds))
  const mb = (bytes: readonly number[]): string => spread(bytes.map(one => one / 1e6))
  return ofProduct(
    markdownTable(
      ['paused sessions more', 'heap before, MB', 'heap after, MB', 'heap bytes each', 'database MB'],
      [
        [
          String(load.threads),
          mb(figures.heap_before),
          mb(figures.heap_after),
          spread(figures.heap_each, 0),
          mb(figures.database_bytes),
        ],
      ],
    ),
  )
}

async function storePart({ quick, rounds }: Size): Promise<Told> {
  const load = quick ? { sessions: 5, appends: 4 } : { sessions: 200, appends: 200 }
  const rows = await storeCosts(load, rounds)
  return ofProduct(
    markdownTable(
      [
        'SQLite log',
        'sessions at once',
        'events per second',
        'CPU µs per event',
        'commit p50, ms',
        'p99, ms',
      ],
      rows.map(row => [
        row.kind === 'facts' ? 'facts, fsynced' : 'previews',
        String(load.sessions),
        spread(row.events_per_second, 0),
        spread(row.cpu_us_per_event),
        spread(row.p50_ms),
        spread(row.p99_ms),
      ]),
    ),
  )
}

async function webPart(size: Size): Promise<Told> {
  const load = size.quick ? { calls: 50, kb: 100 } : { calls: 5000, kb: 1000 }
  const result = await withProduct(size, command => web(command, load))
  const ms = (value: number): string => `${value.toFixed(0)} ms`
  return ofProduct(
    markdownTable(
      ['web app in a real browser', 'value'],
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
    ),
  )
}

export const PARTS: readonly Part[] = [
  { name: 'stalls', title: 'Longest turn of the event loop', run: stallsPart },
  { name: 'relay', title: 'Relay: CPU per delta', run: relayPart },
  { name: 'latency', title: 'Latency at the pace of a model', run: latencyPart },
  { name: 'paced', title: 'CPU per delta at model pace', run: pacedPart },
  { name: 'growth', title: 'Growth: turns, sessions, size of the database', run: growthPart },
  { name: 'memory', title: 'Memory per open stream', run: memoryPart },
  { name: 'cold', title: 'Cold start', run: coldPart },
  { name: 'agent', title: 'Agent: rounds and tools', run: agentPart },
  { name: 'big-input', title: 'One large tool input', run: bigInputPart },
  { name: 'view', title: 'Text in the view', run: viewPart },
  { name: 'resume', title: 'Resume', run: resumePart },
  { name: 'paused', title: 'Paused sessions', run: pausedPart },
  { name: 'store', title: 'Store', run: storePart },
  { name: 'postgres', title: 'PostgreSQL', run: async size => ofProduct(await postgresPart(size)) },
  { name: 'web', title: 'Web app', run: webPart },
]
