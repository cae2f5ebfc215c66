/** Obeys the request's `max_tokens`: the answer is cut where the budget ends, also inside a call. */
import type { Plan, PlannedBlock } from './plan.ts'
import { blockTokens } from './token-usage.ts'

/** The plan itself when it fits; otherwise its beginning, ending in `max_tokens`. */
export function limitPlan(plan: Plan, maxTokens: number | undefined): Plan {
  if (maxTokens === undefined) return plan
  const blocks: PlannedBlock[] = []
  let left = maxTokens
  for (const block of plan.blocks) {
    const cost = blockTokens(block)
    if (cost > left) {
      if (left > 0) blocks.push(cutBlock(block, left / cost))
      return { blocks, stop_reason: 'max_tokens' }
    }
    blocks.push(block)
    left -= cost
  }
  return plan
}

function cutBlock(block: PlannedBlock, share: number): PlannedBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: cutText(block.text, share) }
    case 'thinking':
      return { type: 'thinking', thinking: cutText(block.thinking, share) }
    case 'tool_use':
      return { type: 'tool_use', name: block.name, input_text: cutText(block.input_text, share) }
    case 'delay':
      return block
  }
}

function cutText(text: string, share: number): string {
  const characters = [...text]
  return characters.slice(0, Math.floor(characters.length * share)).join('')
}
