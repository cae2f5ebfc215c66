/**
 * The conversation as lines: what is finished is handed out once, to be written for good; the rest is live.
 * It is read in order, so that a finished line never comes before one that may still change.
 */
import { markControls } from '@toolwire/core/parts'
import {
  type BlockView,
  formatCost,
  formatDuration,
  isFinal,
  type SessionView,
  type TurnView,
} from '@toolwire/core/view'
import { callLine, type DrawOptions, liveOutput } from './draw-call.ts'
import { wrapText } from './width.ts'

export interface TranscriptLines {
  readonly finished: readonly string[]
  readonly live: readonly string[]
}

type Item =
  | { readonly type: 'user'; readonly id: string; readonly text: string }
  | { readonly type: 'block'; readonly id: string; readonly block: BlockView }
  | { readonly type: 'end'; readonly id: string; readonly turn: TurnView }

const LIVE_TEXT = 12
const LIVE_OUTPUT = 5

export class Transcript {
  /** Ids of items that were written. */
  readonly #done = new Set<string>()
  /** Characters of a streaming text that were written. */
  #partial: { readonly id: string; readonly chars: number } | undefined
  /** Turns before this index are written as a whole. */
  #firstOpen = 0

  /** Leaves out the turns before the last `count`. */
  skipTo(view: SessionView, count: number): void {
    this.#firstOpen = Math.max(0, view.turns.length - count)
  }

  next(view: SessionView, options: DrawOptions): TranscriptLines {
    const finished: string[] = []
    const live: string[] = []
    while (this.#firstOpen < view.turns.length) {
      const turn = view.turns[this.#firstOpen]
      if (!turn || !this.#turn(view, turn, { options, finished, live })) break
      this.#firstOpen += 1
    }
    return { finished, live }
  }

  /** True when the whole turn is written. */
  #turn(
    view: SessionView,
    turn: TurnView,
    out: TranscriptLines & { finished: string[]; live: string[]; options: DrawOptions },
  ): boolean {
    for (const item of itemsOf(view, turn)) {
      if (this.#done.has(item.id)) continue
      const lines = this.#item(view, item, out)
      if (!lines) return false
      out.finished.push(...lines)
      this.#done.add(item.id)
    }
    const isOver = turn.state !== 'running' && turn.state !== 'paused'
    if (isOver) for (const item of itemsOf(view, turn)) this.#done.delete(item.id)
    return isOver
  }

  /** Lines of a finished item; undefined while it may change, with what is to be seen of it added to the live lines. */
  #item(
    view: SessionView,
    item: Item,
    { options, finished, live }: { finished: string[]; live: string[]; options: DrawOptions },
  ): readonly string[] | undefined {
    const { style, width } = options
    if (item.type === 'user')
      return [
        '',
        ...wrapText(markControls(item.text), width - 2).map(
          (line, at) => `${at === 0 ? style.cyan('›') : ' '} ${line}`,
        ),
      ]
    if (item.type === 'end') return endLines(item.turn, options)
    const call = view.calls.get(item.block.call ?? '')
    if (call) {
      if (isFinal(call.state)) return [callLine(call, options)]
      live.push(callLine(call, options), ...liveOutput(call, LIVE_OUTPUT, options))
      return undefined
    }
    if (item.block.kind !== 'text' && item.block.kind !== 'refusal') return []
    return this.#text(item.block, { options, finished, live })
  }

  #text(
    { id, text, state }: BlockView,
    { options, finished, live }: { finished: string[]; live: string[]; options: DrawOptions },
  ): readonly string[] | undefined {
    const from = this.#partial?.id === id ? this.#partial.chars : 0
    const wrap = (part: string) => wrapText(markControls(part.replace(/\n$/, '')), options.width)
    const rest = text.slice(from)
    if (state !== 'streaming') {
      this.#partial = undefined
      return rest === '' ? [] : [...(from === 0 ? [''] : []), ...wrap(rest)]
    }
    const end = rest.lastIndexOf('\n') + 1
    if (end > 0) {
      finished.push(...(from === 0 ? [''] : []), ...wrap(rest.slice(0, end)))
      this.#partial = { id, chars: from + end }
    }
    const open = rest.slice(end)
    if (open !== '') live.push(...(from === 0 && end === 0 ? [''] : []), ...wrap(open).slice(-LIVE_TEXT))
    return undefined
  }
}

function itemsOf(view: SessionView, turn: TurnView): readonly Item[] {
  const items = turn.messages.flatMap((id): readonly Item[] => {
    const message = view.messages.get(id)
    if (!message) return []
    if (message.role === 'assistant')
      return message.blocks.flatMap(block => {
        const found = view.blocks.get(block)
        return found ? [{ type: 'block' as const, id: block, block: found }] : []
      })
    const text = message.content.map(part => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
    return message.role === 'user' ? [{ type: 'user', id, text }] : []
  })
  const isOver = turn.state !== 'running' && turn.state !== 'paused'
  return isOver ? [...items, { type: 'end', id: `end:${turn.id}`, turn }] : items
}

function endLines(turn: TurnView, { t, style }: DrawOptions): readonly string[] {
  const { stats, state, error } = turn
  const cost = stats.cost_usd ? [formatCost(stats.cost_usd, t.locale)] : []
  const facts = [...cost, formatDuration(stats.duration_ms, t.locale)].join(' · ')
  if (state === 'failed')
    return ['', style.red(`${t('turn.failed')}: ${markControls(error?.message ?? '')}`), style.dim(facts)]
  if (state === 'cancelled') return ['', style.yellow(t('turn.cancelled')), style.dim(facts)]
  return [style.dim(facts)]
}
