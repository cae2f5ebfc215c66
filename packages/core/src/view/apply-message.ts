/** The assistant's messages and their blocks, live and complete. */

import type { EventOf } from '../event.ts'
import { abortMessage } from './abort-message.ts'
import { completeInput, openCall, settleProviderCalls, streamInput } from './apply-call.ts'
import { changeTurn } from './change-turn.ts'
import { type EventReaders, FAILURE, USAGE } from './event-shapes.ts'
import { addTo } from './fields.ts'
import { appendAt } from './live-text.ts'
import { MAYBE_NUMBER, MAYBE_TEXT, maybe, NUMBER, TEXT } from './shape.ts'
import { addRequest } from './stats.ts'
import type { BlockView, MessageView, SessionView } from './view.ts'

/** Makes the message unless it exists: a provider may begin with a block. */
function openMessage(
  view: SessionView,
  ev: EventOf<'message.started' | 'block.started' | 'turn.completed'>,
): SessionView {
  if (view.messages.get(ev.message_id)) return view
  const message: MessageView = addTo<MessageView>(
    {
      id: ev.message_id,
      role: 'assistant',
      state: 'streaming',
      seq: view.head,
      content: [],
      blocks: [],
      started_at: Date.parse(ev.ts),
    },
    { agent: ev.agent_run_id, run_id: ev.run_id, compacted: isCompacted(ev) || undefined },
  )
  const next = { ...view, messages: view.messages.set(message.id, message) }
  const agent = view.agents.get(ev.agent_run_id ?? '')
  if (agent)
    return {
      ...next,
      agents: view.agents.set(agent.id, { ...agent, messages: [...agent.messages, message.id] }),
    }
  if (ev.agent_run_id !== undefined) return next
  return changeTurn(next, turn => ({ ...turn, messages: [...turn.messages, message.id] }))
}

const isCompacted = (ev: EventOf<'message.started' | 'block.started' | 'turn.completed'>): boolean =>
  ev.type === 'message.started' && (ev.warnings ?? []).some(({ code }) => code === 'history_compacted')

function changeMessage(
  view: SessionView,
  id: string,
  change: (message: MessageView) => MessageView,
): SessionView {
  const message = view.messages.get(id)
  return message ? { ...view, messages: view.messages.set(id, change(message)) } : view
}

function aborted(view: SessionView, ev: EventOf<'message.aborted'>): SessionView {
  const message = view.messages.get(ev.message_id)
  return message ? abortMessage(view, message, ev) : view
}

function completed(view: SessionView, ev: EventOf<'turn.completed'>): SessionView {
  const opened = openMessage(view, ev)
  const model = ev.model ?? opened.turns.at(-1)?.model ?? ''
  const ended = changeMessage(opened, ev.message_id, message =>
    addTo<MessageView>(
      {
        ...message,
        state: 'complete',
        model,
        usage: ev.usage,
        finish: ev.finish,
        stop_reason: ev.stop_reason,
        ended_at: Date.parse(ev.ts),
      },
      { cost_usd: ev.cost_usd },
    ),
  )
  return countRequest(settleProviderCalls(ended, ev), ev, model)
}

function countRequest(view: SessionView, ev: EventOf<'turn.completed'>, model: string): SessionView {
  const { usage, cost_usd } = ev
  const agent = view.agents.get(ev.agent_run_id ?? '')
  if (agent) {
    const stats = addRequest(agent.stats, agent.model ?? model, usage, cost_usd)
    return { ...view, agents: view.agents.set(agent.id, { ...agent, stats }) }
  }
  const tokens = usage.input + usage.cache_read + usage.cache_write + usage.output
  return changeTurn({ ...view, context: { tokens, model } }, turn => ({
    ...turn,
    stats: addRequest(turn.stats, model, usage, cost_usd),
  }))
}

function blockStarted(before: SessionView, ev: EventOf<'block.started'>): SessionView {
  if (before.blocks.get(ev.block_id)) return before
  const view = openMessage(before, ev)
  const isCall = ev.tool && (ev.kind === 'tool_use' || ev.kind === 'provider_tool_use')
  const opened = isCall ? openCall(view, ev) : { view, call: undefined }
  const block: BlockView = addTo<BlockView>(
    {
      id: ev.block_id,
      message: ev.message_id,
      kind: ev.kind,
      state: 'streaming',
      text: '',
      started_at: Date.parse(ev.ts),
    },
    { call: opened.call },
  )
  return changeMessage(
    { ...opened.view, blocks: opened.view.blocks.set(block.id, block) },
    ev.message_id,
    message => ({ ...message, blocks: [...message.blocks, block.id] }),
  )
}

/** The hot path: one row of one table, whatever the length of session or text. */
function blockDelta(view: SessionView, ev: EventOf<'block.delta'>): SessionView {
  const block = view.blocks.get(ev.block_id)
  if (block?.state !== 'streaming') return view
  if (block.call !== undefined && ev.input_text !== undefined)
    return streamInput(view, block.call, ev.offset, ev.input_text)
  const piece = ev.text ?? ev.thinking
  if (piece === undefined)
    return ev.citation === undefined
      ? view
      : setBlock(view, { ...block, citations: [...(block.citations ?? []), ev.citation] })
  const { text, gap } = appendAt(block.text, ev.offset, piece)
  if (gap) return block.gap ? view : setBlock(view, { ...block, gap: true })
  return text === block.text ? view : setBlock(view, { ...block, text })
}

function blockCompleted(view: SessionView, ev: EventOf<'block.completed'>): SessionView {
  const block = view.blocks.get(ev.block_id)
  if (block?.state !== 'streaming') return view
  const { gap: _, ...rest } = block
  const done = addTo<BlockView>(
    { ...rest, state: 'complete', text: ev.text ?? ev.thinking ?? '', ended_at: Date.parse(ev.ts) },
    { citations: ev.citations, data: ev.data },
  )
  const next = setBlock(view, done)
  return block.call === undefined ? next : completeInput(next, block.call, ev)
}

const setBlock = (view: SessionView, block: BlockView): SessionView => ({
  ...view,
  blocks: view.blocks.set(block.id, block),
})

const SAID = { text: MAYBE_TEXT, thinking: MAYBE_TEXT, input_text: MAYBE_TEXT }

export const MESSAGE_READERS: EventReaders<
  | 'turn.started'
  | 'message.started'
  | 'message.aborted'
  | 'turn.completed'
  | 'block.started'
  | 'block.delta'
  | 'block.completed'
> = {
  'turn.started': [
    { model: TEXT, attempt: NUMBER },
    (view, { agent_run_id, attempt, model }) =>
      agent_run_id === undefined ? changeTurn(view, turn => ({ ...turn, attempt, model })) : view,
  ],
  'message.started': [{ message_id: TEXT, warnings: maybe([{ code: TEXT }]) }, openMessage],
  'message.aborted': [{ message_id: TEXT, reason: TEXT, error: maybe(FAILURE) }, aborted],
  'turn.completed': [
    {
      message_id: TEXT,
      stop_reason: TEXT,
      finish: TEXT,
      usage: USAGE,
      cost_usd: MAYBE_NUMBER,
      model: MAYBE_TEXT,
    },
    completed,
  ],
  'block.started': [
    {
      message_id: TEXT,
      block_id: TEXT,
      kind: TEXT,
      tool: maybe({
        call_id: TEXT,
        name: TEXT,
        tool_type: TEXT,
        executor: TEXT,
        title: MAYBE_TEXT,
        server: MAYBE_TEXT,
      }),
    },
    blockStarted,
  ],
  'block.delta': [{ block_id: TEXT, offset: NUMBER, ...SAID }, blockDelta],
  'block.completed': [{ block_id: TEXT, ...SAID, citations: maybe([]) }, blockCompleted],
}
