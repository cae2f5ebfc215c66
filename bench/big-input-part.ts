/** The part of the benchmark about one large input, from its sizes to its Markdown: servers first, then clients. */
import { type BigInputFigure, bigInput, PIECE } from './big-input.ts'
import { checkoutVersion } from './checkout-version.ts'
import { type ClientCost, clientCosts, MOST_CPU_S } from './client-costs.ts'
import { toolwireFrom, withEcho } from './contestant.ts'
import { markdownTable } from './markdown-table.ts'
import { installedVersion } from './peer.ts'
import { type Recording, record } from './recording.ts'
import { orFailure, type Row } from './samples.ts'
import { median, ratio, spread } from './statistics.ts'
import { takeTurns } from './take-turns.ts'
import { amongInstalled, label, type Size, type Taker, type Told, taking, withProduct } from './takers.ts'

const SIZES = [250_000, 1_000_000]
const QUICK_SIZES = [5000, 20_000]

/**
 * A model that writes 16 characters every 20 ms needs five minutes for the small input. The large one comes four
 * times as fast, and is there after five minutes too: both are recorded at once.
 */
const PACES = [
  { chars: 250_000, paceMs: 20 },
  { chars: 1_000_000, paceMs: 5 },
]
const QUICK_PACES = [{ chars: 5000, paceMs: 1 }]

export async function bigInputPart(size: Size): Promise<Told> {
  const takers = taking(size, ({ callRoads }) => callRoads('').length > 0)
  const sizes = size.quick ? QUICK_SIZES : SIZES
  const rows = await amongInstalled(size, takers, some => bigInput(some, sizes, size.rounds))
  const recordings = await withProduct(size, command => recordAll(command, size))
  const costs = clientCosts(recordings, size.rounds)
  const others = costs.some(({ client }) => client !== 'toolwire')
  const absent = others ? '' : '\n\nThe clients of others are not installed (`npm run bench:peers`).'
  return {
    markdown: `${serverTable(rows, sizes)}\n\n${clientTable(costs)}${absent}`,
    takers: [...takers, ...clientTakers(others)],
  }
}

/** Those as fast as the provider one after the other, those at a pace all at once: they leave the server idle. */
async function recordAll(command: readonly string[], { quick }: Size): Promise<readonly Recording[]> {
  const recordings: Recording[] = []
  await takeTurns(
    [withEcho(toolwireFrom(command))],
    1,
    async ({ subject: { url } }) => {
      for (const chars of quick ? QUICK_SIZES : SIZES)
        recordings.push(await record(url, { chars, paceMs: 0 }))
      const paced = await Promise.all((quick ? QUICK_PACES : PACES).map(wanted => record(url, wanted)))
      recordings.push(...paced)
    },
    (_, why) => {
      throw new Error(why)
    },
  )
  return recordings
}

function serverTable(rows: readonly Row<BigInputFigure>[], sizes: readonly number[]): string {
  const [least = 0] = sizes
  const cpuOf = (wanted: (row: Row<BigInputFigure>) => boolean): readonly number[] =>
    rows.find(wanted)?.figures.cpu_ms ?? []
  const perChar = (samples: readonly number[], chars: number) => samples.map(ms => ms / chars)
  return markdownTable(
    [
      'server',
      `road: one call in deltas of ${PIECE}`,
      'characters',
      'frames with arguments',
      'CPU ms',
      'of the plain proxy',
      'CPU per character, of the smaller’s',
      'wall ms',
      'memory grown by, MB',
    ],
    rows.map(row => {
      const { figures, contestant, road, size } = row
      const provider = road.endsWith('OpenAI') ? 'OpenAI' : 'Anthropic'
      const floor = cpuOf(
        other =>
          other.contestant.name.startsWith('plain') && other.road.endsWith(provider) && other.size === size,
      )
      const small = cpuOf(
        other => other.contestant === contestant && other.road === road && other.size === least,
      )
      return orFailure(row, [
        label(contestant),
        road,
        String(size),
        spread(figures.frames, 0),
        spread(figures.cpu_ms, 0),
        ratio(figures.cpu_ms, floor),
        size === least ? '' : ratio(perChar(figures.cpu_ms, size), perChar(small, least)),
        spread(figures.wall_ms, 0),
        spread(figures.grown_mb, 0),
      ])
    }),
  )
}

const sourceOf = ({ source }: ClientCost): string => {
  if (source === 'provider') return 'as the provider sends them'
  return source === 0 ? 'of the server, as fast as it goes' : `of the server, a delta every ${source} ms`
}

function clientTable(costs: readonly ClientCost[]): string {
  return markdownTable(
    [
      'client',
      'characters',
      `deltas of ${PIECE}`,
      'pieces',
      'CPU ms',
      'ns per character',
      'of the time it streamed',
    ],
    costs.map(cost => [
      cost.client === 'toolwire' ? `**${cost.client}**` : cost.client,
      String(cost.chars),
      sourceOf(cost),
      String(cost.pieces),
      ...(cost.stopped
        ? [`more than ${MOST_CPU_S * 1000}: ended`, '', '']
        : [spread(cost.ms, 0), ((median(cost.ms) * 1e6) / cost.chars).toFixed(0), shareOf(cost)]),
    ]),
  )
}

/** Share of the model's time that the client was busy; empty without a model's pace. */
const shareOf = ({ source, ms, streamed_ms }: ClientCost): string =>
  source === 'provider' || source === 0
    ? ''
    : `${((100 * median(ms)) / streamed_ms).toFixed(1)} % of ${(streamed_ms / 1000).toFixed(0)} s`

function clientTakers(others: boolean): readonly Taker[] {
  const own = { name: '@toolwire/client', version: checkoutVersion() }
  if (!others) return [own]
  const theirs = ['ai', '@ag-ui/client'].map(name => ({
    name: `client ${name}`,
    version: installedVersion('clients', name) ?? '',
  }))
  return [own, ...theirs]
}
