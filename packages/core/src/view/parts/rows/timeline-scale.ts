/** The scale of each exchange in the timeline. Waiting is narrow by choice, so that minutes of it hide no work. Pure. */
import { formatDuration } from '../../format.ts'
import type { Translate } from '../../strings/translate.ts'
import { partLabels } from '../calls/part-labels.ts'
import type { TimelineBar, TimelineRow, TimelineSpan } from './timeline-rows.ts'

export interface TimelineScale {
  readonly start: number
  readonly end: number
  /** Merged, in order; empty where waiting is drawn to scale. */
  readonly waits: readonly Required<WaitSpan>[]
  readonly active_ms: number
  readonly waiting_ms: number
}

interface WaitSpan {
  readonly from: number
  readonly to: number
}

/** Share of the active time that one wait takes in the width. */
const WAIT_SHARE = 0.06

/** By the exchange's id. */
export function timelineScales(
  rows: readonly TimelineRow[],
  ends: ReadonlyMap<string, number>,
  { now, collapse }: { readonly now: number; readonly collapse: boolean },
): ReadonlyMap<string, TimelineScale> {
  const waits = new Map<string, TimelineSpan[]>()
  for (const row of rows) {
    if (row.type === 'turn') continue
    const bars = row.type === 'group' ? row.bars : [row]
    const own = waits.get(row.turn.id) ?? []
    own.push(...bars.flatMap(bar => bar.wait ?? []))
    waits.set(row.turn.id, own)
  }
  const turns = rows.flatMap(row => (row.type === 'turn' ? [row.turn] : []))
  return new Map(
    turns.map(({ id, started_at: start }) => {
      const end = ends.get(id) ?? now
      const merged = merge(waits.get(id) ?? [], now)
      const waiting_ms = merged.reduce((sum, { from, to }) => sum + to - from, 0)
      const active_ms = Math.max(0, end - start - waiting_ms)
      return [id, { start, end, waits: collapse ? merged : [], active_ms, waiting_ms }]
    }),
  )
}

function merge(spans: readonly TimelineSpan[], now: number): readonly WaitSpan[] {
  const out: WaitSpan[] = []
  for (const { from, to = now } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = out.at(-1)
    if (to <= from) continue
    if (last && from <= last.to) out[out.length - 1] = { from: last.from, to: Math.max(last.to, to) }
    else out.push({ from, to })
  }
  return out
}

/** Position of a moment in percent of the width. */
function positionOf(scale: TimelineScale, moment: number): number {
  const { start, end, waits } = scale
  const waiting = waits.reduce((sum, { from, to }) => sum + to - from, 0)
  const active = Math.max(1, end - start - waiting)
  const gap = active * WAIT_SHARE
  const at = Math.min(end, Math.max(start, moment))
  let position = at - start
  for (const { from, to } of waits) {
    const inside = Math.min(at, to) - from
    if (inside > 0) position += (gap * inside) / (to - from) - inside
  }
  return Math.min(100, Math.max(0, (100 * position) / (active + gap * waits.length)))
}

export interface BarPosition {
  readonly left: number
  readonly width: number
  readonly ms: number
}

/** Position of a span in the width of its exchange, in percent, and its duration in ms. Never too thin to see. */
export function barPosition({ from, to }: TimelineSpan, scale: TimelineScale, now: number): BarPosition {
  const ends = to ?? now
  const begin = positionOf(scale, from)
  const left = Math.min(98, begin)
  const width = Math.max(1.5, Math.min(100 - left, positionOf(scale, ends) - begin))
  return { left, width, ms: ends - from }
}

/** `Bash, npm test, 3.1s, after 9.4s`: a bar for those who do not see it. */
export function barLabel(bar: TimelineBar, scale: TimelineScale, now: number, t: Translate): string {
  const labels = partLabels(t)
  const time = (ms: number) => formatDuration(ms, t.locale)
  const wait = bar.wait ? labels.waited.replace('{time}', time((bar.wait.to ?? now) - bar.wait.from)) : ''
  const after = labels.after.replace('{time}', time(bar.from - scale.start))
  return [
    bar.kind === 'model' ? labels.model : bar.name,
    bar.title,
    time((bar.to ?? now) - bar.from),
    wait,
    after,
  ]
    .filter(part => part !== '')
    .join(', ')
}

/** Widths of the timeline, as multiples of its box. */
export const ZOOMS = [1, 2, 4, 8] as const

/** Active and waiting time of all exchanges together. */
export function timelineTotals(scales: ReadonlyMap<string, TimelineScale>, t: Translate): string {
  const sum = (key: 'active_ms' | 'waiting_ms') =>
    [...scales.values()].reduce((total, scale) => total + scale[key], 0)
  const labels = partLabels(t)
  const waiting = sum('waiting_ms')
  const active = labels.active.replace('{time}', formatDuration(sum('active_ms'), t.locale))
  if (waiting === 0) return active
  return `${active} · ${labels.waiting.replace('{time}', formatDuration(waiting, t.locale))}`
}
