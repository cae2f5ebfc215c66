/** Blocks of a model message: text, reasoning, refusals and the arguments of calls. */
import type { EventOf } from '@toolwire/core'
import { type Frame, NO_FRAMES } from '../wire.ts'
import { completeBlock } from './close-blocks.ts'
import { providerCall, providerResult } from './project-provider-tool.ts'
import { prepareCall } from './project-tool.ts'
import { toFrame } from './thread-frame.ts'
import type { ThreadBlock, ThreadState } from './thread-state.ts'

type ThreadStep = readonly [ThreadState, readonly Frame[]]

export function projectBlock(
  state: ThreadState,
  ev: EventOf<'block.started' | 'block.delta' | 'block.completed'>,
): ThreadStep {
  if (!state.conversation || state.conversation.ended) return [state, NO_FRAMES]
  switch (ev.type) {
    case 'block.started':
      return blockStarted(state, ev)
    case 'block.delta':
      return blockDelta(state, ev)
    case 'block.completed':
      return blockCompleted(state, ev)
  }
}

function blockStarted(state: ThreadState, ev: EventOf<'block.started'>): ThreadStep {
  const kind = kindOf(ev)
  if (kind === undefined) return [state, NO_FRAMES]
  const block: ThreadBlock = {
    block_id: ev.block_id,
    kind,
    said: '',
    ...(ev.agent_run_id === undefined ? {} : { agent_id: ev.agent_run_id }),
    ...(ev.tool ? { call_id: ev.tool.call_id } : {}),
  }
  const next = { ...state, blocks: [...state.blocks, block] }
  if (kind === 'input') return prepareCall(next, ev)
  if (kind === 'result') return [next, NO_FRAMES]
  if (block.agent_id !== undefined && !state.shows.agents) return [state, NO_FRAMES]
  return [next, [toFrame(`${kind}.started`, marksOf(block), ev.ts)]]
}

function kindOf(ev: EventOf<'block.started'>): ThreadBlock['kind'] | undefined {
  switch (ev.kind) {
    case 'text':
    case 'refusal':
      return ev.kind
    case 'thinking':
      return 'reasoning'
    case 'tool_use':
    case 'provider_tool_use':
      return ev.tool ? 'input' : undefined
    case 'provider_tool_result':
      return 'result'
    case 'redacted_thinking':
    case 'file':
      return undefined
  }
}

function blockDelta(state: ThreadState, ev: EventOf<'block.delta'>): ThreadStep {
  const block = state.blocks.find(open => open.block_id === ev.block_id)
  if (!block || block.kind === 'result') return [state, NO_FRAMES]
  if (block.kind === 'input') {
    if (!state.shows.input_deltas || !ev.input_text) return [state, NO_FRAMES]
    const body = { call_id: block.call_id, delta: ev.input_text, agent_id: block.agent_id }
    return [state, [toFrame('tool.input.delta', body, ev.ts)]]
  }
  const text = ev.text ?? ev.thinking
  if (!text) return [state, NO_FRAMES]
  const grown = { ...block, said: block.said + text }
  const blocks = state.blocks.map(open => (open === block ? grown : open))
  return [{ ...state, blocks }, [chunk(block, text, ev.ts)]]
}

/**
 * Sends first the text that the chunks lacked (a provider that does not stream, a preview lost with the power).
 */
function blockCompleted(state: ThreadState, ev: EventOf<'block.completed'>): ThreadStep {
  const block = state.blocks.find(open => open.block_id === ev.block_id)
  if (!block) return [state, NO_FRAMES]
  const next = { ...state, blocks: state.blocks.filter(open => open !== block) }
  if (block.kind === 'input') return providerCall(next, block, ev)
  if (block.kind === 'result') return providerResult(next, block, ev)
  const whole = ev.text ?? ev.thinking ?? block.said
  const rest = whole.startsWith(block.said) ? whole.slice(block.said.length) : ''
  const missing = rest === '' ? NO_FRAMES : [chunk(block, rest, ev.ts)]
  return [next, [...missing, ...completeBlock({ ...block, citations: ev.citations }, whole, ev.ts)]]
}

/** Text says `content`, reasoning and refusals say `text`: so it is documented, so clients read it. */
function chunk(block: ThreadBlock, text: string, ts: string): Frame {
  if (block.kind === 'reasoning' || block.kind === 'refusal')
    return toFrame(`${block.kind}.chunk`, { text, ...marksOf(block) }, ts)
  return toFrame('text.chunk', { content: text, ...marksOf(block) }, ts)
}

const marksOf = (block: ThreadBlock) => ({
  item_id: block.kind === 'text' ? undefined : block.block_id,
  agent_id: block.agent_id,
})
