/** Blocks of a model message: started, delta, completed. The delta path allocates one frame and nothing else. */

import type { EventOf } from '@toolwire/core'
import { callKey, withEntry, withoutEntry } from '../shared/map-entry.ts'
import { type Frame, NO_FRAMES } from '../wire.ts'
import { tailFor, toFrame, toStreamEvent } from './chat-frame.ts'
import type { ChatBlock, ChatState } from './chat-state.ts'

type ChatStep = readonly [ChatState, readonly Frame[]]

export function blockStarted(state: ChatState, ev: EventOf<'block.started'>): ChatStep {
  const tail = tailFor(state, ev.agent_run_id)
  if (tail === undefined) return [state, NO_FRAMES]
  const { tool } = ev
  const block: ChatBlock = {
    message_id: ev.message_id,
    run_index: ev.run_index,
    nested: ev.agent_run_id !== undefined,
    deltaTail: tool ? `,"tool_use_id":${JSON.stringify(tool.call_id)},"index":${ev.run_index}${tail}` : tail,
    tail,
    streamed: false,
  }
  const frame = toFrame(
    {
      type: 'content_block_start',
      block_type: ev.kind,
      index: ev.run_index,
      ...(tool ? { tool: { id: tool.call_id, name: tool.name } } : {}),
      ...(ev.turn === undefined ? {} : { turn: ev.turn }),
      block_index: ev.index,
    },
    tail,
  )
  const opened = { ...state, blocks: withEntry(state.blocks, ev.block_id, block) }
  if (!tool || ev.kind !== 'tool_use') return [opened, [frame]]
  const call = {
    message_id: ev.message_id,
    block_id: ev.block_id,
    name: tool.name,
    input_text: '',
    input: undefined,
    ready: false,
  }
  return [{ ...opened, calls: withEntry(state.calls, callKey(ev.agent_run_id, tool.call_id), call) }, [frame]]
}

export function blockDelta(state: ChatState, ev: EventOf<'block.delta'>): ChatStep {
  const block = state.blocks.get(ev.block_id)
  if (!block) return [state, NO_FRAMES]
  const data = deltaData(ev, block.deltaTail)
  if (data === undefined) return [state, NO_FRAMES]
  if (block.streamed) return [state, [{ data }]]
  return [
    { ...state, blocks: withEntry(state.blocks, ev.block_id, { ...block, streamed: true }) },
    [{ data }],
  ]
}

/** Signatures and citations are not shown as deltas: the completion carries them. */
function deltaData(
  part: {
    readonly text?: string | undefined
    readonly input_text?: string | undefined
    readonly thinking?: string | undefined
  },
  tail: string,
): string | undefined {
  if (part.text !== undefined) return `{"type":"text_delta","content":${JSON.stringify(part.text)}${tail}`
  if (part.input_text !== undefined)
    return `{"type":"tool_input_delta","partial_json":${JSON.stringify(part.input_text)}${tail}`
  if (part.thinking !== undefined)
    return `{"type":"thinking_delta","content":${JSON.stringify(part.thinking)}${tail}`
  return undefined
}

export function blockCompleted(state: ChatState, ev: EventOf<'block.completed'>): ChatStep {
  const block = state.blocks.get(ev.block_id)
  if (!block) return [state, NO_FRAMES]
  const whole = block.streamed ? undefined : unstreamed(ev, block)
  const stop = toStreamEvent(
    'content_block_stop',
    {
      index: block.run_index,
      ...(ev.signature === undefined ? {} : { signature: ev.signature }),
      ...(ev.citations === undefined ? {} : { citations: ev.citations }),
      ...(isProviderResult(ev.data) ? { result: ev.data } : {}),
    },
    block.tail,
  )
  const next = {
    ...state,
    blocks: withoutEntry(state.blocks, ev.block_id),
    ...(ev.input_text === undefined ? {} : { calls: withInputText(state, ev.block_id, ev.input_text) }),
    ...(ev.text !== undefined && state.run && !block.nested
      ? { run: { ...state.run, openText: state.run.openText + ev.text } }
      : {}),
  }
  return [next, whole ? [whole, stop] : [stop]]
}

/** Results of provider-run tools; they have no separate event. */
const isProviderResult = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'tool_use_id' in data

function unstreamed(ev: EventOf<'block.completed'>, block: ChatBlock): Frame | undefined {
  if (!(ev.text || ev.thinking || ev.input_text)) return undefined
  const data = deltaData(ev, block.deltaTail)
  return data === undefined ? undefined : { data }
}

function withInputText(state: ChatState, blockId: string, inputText: string): ChatState['calls'] {
  for (const [key, call] of state.calls)
    if (call.block_id === blockId) return withEntry(state.calls, key, { ...call, input_text: inputText })
  return state.calls
}
