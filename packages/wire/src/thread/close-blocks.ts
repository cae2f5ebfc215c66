/** Interrupted text: its `completed` is still sent, with the text so far and marked as aborted. */
import { type Frame, NO_FRAMES } from '../wire.ts'
import { toFrame } from './thread-frame.ts'
import type { ThreadBlock, ThreadState } from './thread-state.ts'

/** Closes the open blocks that `which` names. Arguments and results of calls need no separate end. */
export function closeBlocks(
  state: ThreadState,
  ts: string,
  which: (block: ThreadBlock) => boolean,
): readonly [ThreadState, readonly Frame[]] {
  const broken = state.blocks.filter(which)
  if (broken.length === 0) return [state, NO_FRAMES]
  const blocks = state.blocks.filter(block => !broken.includes(block))
  return [{ ...state, blocks }, broken.flatMap(block => completeBlock(block, block.said, ts, true))]
}

/** The end of a block, with its whole content and, if the provider gave them, the sources of its text. */
export function completeBlock(
  block: ThreadBlock & { readonly citations?: readonly unknown[] | undefined },
  content: string,
  ts: string,
  aborted = false,
): readonly Frame[] {
  const marks = { aborted: aborted || undefined, agent_id: block.agent_id }
  switch (block.kind) {
    case 'text':
      return [toFrame('text.completed', { content, citations: block.citations, ...marks }, ts)]
    case 'reasoning':
      return [toFrame('reasoning.completed', { text: content, item_id: block.block_id, ...marks }, ts)]
    case 'refusal':
      return [toFrame('refusal.completed', { refusal: content, item_id: block.block_id, ...marks }, ts)]
    case 'input':
    case 'result':
      return []
  }
}
