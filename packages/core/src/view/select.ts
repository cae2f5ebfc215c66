/** Questions that every front end asks of a view. Pure and cheap. */
import type { ContentPart } from '../event.ts'
import type { BlockView, CallView, MessageView, SessionView, TurnView } from './view.ts'
import { isFinal } from './view.ts'

/** Blocks of a message in order; ids without a row are left out. */
export const blocksOf = (view: SessionView, message: MessageView): readonly BlockView[] =>
  message.blocks.flatMap(id => view.blocks.get(id) ?? [])

/** Messages of an exchange or of an agent, in order. */
export const messagesOf = (
  view: SessionView,
  owner: { readonly messages: readonly string[] },
): readonly MessageView[] => owner.messages.flatMap(id => view.messages.get(id) ?? [])

/** Time in the current phase: running time, or waiting time while it waits. */
export function elapsedMs(call: CallView, now: number): number {
  if (call.duration_ms !== undefined) return call.duration_ms
  if (isFinal(call.state)) return Math.max(0, (call.ended_at ?? call.since) - (call.started_at ?? call.since))
  const from = call.state === 'executing' || call.state === 'cancelling' ? call.started_at : undefined
  return Math.max(0, now - (from ?? call.since))
}

/** Running time of an exchange, without its pauses. */
export const turnElapsedMs = (turn: TurnView, now: number): number =>
  turn.state === 'running'
    ? turn.stats.duration_ms + Math.max(0, now - turn.run_started_at)
    : turn.stats.duration_ms

/** The written part of content; what is not text is left out. */
export const textOf = (content: readonly ContentPart[]): string =>
  content.map(part => (part.type === 'text' ? part.text : '')).join('')

/** A session's name: its title, or the first line that was asked. */
export function titleOf(view: SessionView): string {
  if (view.info.title) return view.info.title
  const first = view.turns[0]?.messages[0] ?? ''
  const message = view.messages.get(first) ?? view.queue[0]
  const line =
    textOf(message?.content ?? [])
      .trim()
      .split('\n', 1)[0] ?? ''
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

const READ_ONLY: ReadonlySet<string> = new Set([
  'Read',
  'Grep',
  'Glob',
  'LS',
  'NotebookRead',
  'MemoryRead',
  'WebSearch',
  'WebFetch',
  'Clock',
])

export type BlockGroup =
  | { readonly type: 'block'; readonly block: BlockView }
  /** Finished look-ups in a row, to be shown as one line. */
  | { readonly type: 'calls'; readonly id: string; readonly calls: readonly CallView[] }

/** Blocks in order, where two or more successful read-only calls in a row make one group. */
export function groupBlocks(view: SessionView, blocks: readonly BlockView[]): readonly BlockGroup[] {
  const groups: BlockGroup[] = []
  let row: BlockView[] = []
  const close = () => {
    const calls = row.flatMap(block => view.calls.get(block.call ?? '') ?? [])
    const [first] = row
    if (first && calls.length > 1) groups.push({ type: 'calls', id: `group:${first.id}`, calls })
    else groups.push(...row.map(block => ({ type: 'block', block }) as const))
    row = []
  }
  for (const block of blocks) {
    const call = view.calls.get(block.call ?? '')
    if (call?.state === 'success' && READ_ONLY.has(call.name)) row.push(block)
    else {
      close()
      groups.push({ type: 'block', block })
    }
  }
  close()
  return groups
}
