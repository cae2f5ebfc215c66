/**
 * Whether an event that came over a wire has the shape that its type promises: the vocabulary of schema/event.ts
 * without the schema library, for readers in a page. A test holds the two together, field by field.
 *
 * Looser than the schema in one point: a word from a list may be any word, because newer servers know more of them.
 */
import type { EventType, SessionEvent } from './event.ts'
import { anything, byType, fields, flag, listOf, number, object, type Shape, text } from './shape.ts'

const texts = listOf(text)

const base64 = fields({ media_type: text, data: text })
const source = byType(
  new Map([
    ['base64', base64],
    ['text', base64],
    ['url', fields({ url: text }, { media_type: text })],
  ]),
)
const media = fields({ source }, { title: text })
const contentPart = byType(
  new Map([
    ['text', fields({ text })],
    ['image', media],
    ['document', media],
    ['audio', media],
  ]),
)
const content = listOf(contentPart)

const toolSpecs = listOf(
  fields({ name: text, input_schema: object }, { description: text, strict: flag, as_is: flag }),
)
const usage = fields(
  { input: number, output: number, cache_read: number, cache_write: number, reasoning: number },
  { cache_write_1h: number, is_estimate: flag },
)
const failure = fields(
  { code: text, message: text, retryable: flag },
  { provider: text, http_status: number, request_id: text, details: anything },
)
const toolFailure = fields({ code: text, layer: text, message: text, retryable: flag }, { details: anything })
const toolView = fields({}, { title: text, kind: text, body: anything })
const pending = listOf(
  fields(
    { kind: text, id: text, call_id: text, name: text, input_text: text },
    { message: text, schema: object, url: text, agent_run_id: text },
  ),
)
const warnings = listOf(fields({ code: text, message: text }))
const via = fields({ protocol: text }, { dialect: text, key: text })
const limits = {
  max_turns: number,
  max_cost_usd: number,
  max_total_tokens: number,
  max_duration_ms: number,
  fallback_models: texts,
}
const totals = {
  usage_by_model: listOf(fields({ model: text, usage }, { cost_usd: number })),
  duration_ms: number,
  num_turns: number,
}
const decision = { approval_id: text, call_id: text, decision: text }
const decided = {
  reason: text,
  edited_input_text: text,
  answer_text: text,
  rule: text,
  rule_expires_at: text,
}

/** A later version of an event is one that old readers would misread. */
const version: Shape = value => value === 1
const event = (required: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}) =>
  fields(
    { ts: text, ...required },
    { v: version, run_id: text, turn: number, agent_run_id: text, ...optional },
  )

const EVENTS: Readonly<Record<EventType, Shape>> = {
  'session.created': event(
    { cwd: text, model: text, tools: texts, permission_mode: text },
    {
      title: text,
      system: text,
      metadata: object,
      aliases: fields({ thread_no: number }),
      forked_from: fields({ session_id: text, seq: number }),
    },
  ),
  'session.updated': event(
    {},
    { title: text, model: text, permission_mode: text, tags: texts, archived: flag },
  ),
  'session.bound': event({
    provider: text,
    provider_session_id: text,
    cwd: text,
    model: text,
    tools: texts,
    permission_mode: text,
  }),
  'run.started': event(
    { conversation_id: text, trigger: text, client_tools: toolSpecs, model: text },
    { parent_run_id: text, resumes_run_id: text, via, ...limits, options: object },
  ),
  'run.paused': event({ reason: text, pending }, { expires_at: text }),
  'run.resumed': event({ resumed_run_id: text, resolved: texts, remaining: texts }),
  'run.completed': event({ status: text, finish: text, result_text: text, ...totals }, { cost_usd: number }),
  'run.failed': event({ error: failure, ...totals }, { cost_usd: number }),
  'run.cancelled': event({ reason: text, ...totals }, { cost_usd: number }),
  'input.message': event(
    { message_id: text, role: text, content },
    {
      via,
      client_tools: toolSpecs,
      model: text,
      ...limits,
      options: object,
      if_paused: text,
      notifies: text,
    },
  ),
  'input.tool_output': event(
    { call_id: text, output_text: text, is_error: flag, by: text },
    { content, expired: flag, via },
  ),
  'input.approval': event(decision, { ...decided, by: text, via }),
  'input.cancel': event({ reason: text, by: text }, { call_id: text }),
  'turn.started': event({ turn: number, provider: text, model: text, attempt: number }),
  'message.started': event(
    { message_id: text, provider_message_id: text, role: text },
    { model: text, warnings },
  ),
  'message.aborted': event(
    { message_id: text, reason: text },
    { error: failure, usage, cost_usd: number, request_id: text },
  ),
  'history.compacted': event({ replaced: number, shortened: texts }, { summary: text }),
  'turn.completed': event(
    { message_id: text, stop_reason: text, finish: text, usage, has_next: flag },
    { stop_details: anything, cost_usd: number, model: text, request_id: text },
  ),
  'block.started': event(
    { message_id: text, block_id: text, index: number, run_index: number, kind: text },
    {
      tool: fields(
        { call_id: text, name: text, tool_type: text, executor: text },
        { server: text, title: text },
      ),
    },
  ),
  'block.delta': event(
    { block_id: text, offset: number },
    { text, input_text: text, thinking: text, signature: text, citation: anything },
  ),
  'block.completed': event(
    { block_id: text },
    {
      text,
      thinking: text,
      signature: text,
      data: anything,
      input_text: text,
      citations: listOf(anything),
    },
  ),
  'tool.ready': event(
    {
      call_id: text,
      name: text,
      tool_type: text,
      executor: text,
      input_text: text,
      input: anything,
    },
    { view: toolView, definition: text },
  ),
  'tool.approval_requested': event(
    { approval_id: text, call_id: text, name: text, allow_edit: flag },
    {
      kind: text,
      message: text,
      options: listOf(anything),
      schema: object,
      url: text,
      resumes: flag,
      expires_at: text,
      automatic: flag,
      details: anything,
    },
  ),
  'tool.approval_resolved': event({ ...decision, by: text }, { ...decided, automatic: flag }),
  'tool.client_requested': event(
    { call_id: text, name: text, input_text: text },
    { deadline: text, problem: text },
  ),
  'tool.queued': event({ call_id: text, after: texts }),
  'tool.started': event({ call_id: text, attempt: number }),
  'tool.progress': event(
    { call_id: text },
    { message: text, progress: number, total: number, output_delta: text, data: anything },
  ),
  'tool.completed': event(
    { call_id: text, content, output_text: text, is_error: flag, duration_ms: number },
    { error: toolFailure, structured: anything, view: toolView },
  ),
  'tool.failed': event({ call_id: text, error: toolFailure, output_text: text, duration_ms: number }),
  'agent.started': event(
    { agent_run_id: text, name: text, parent_call_id: text, prompt: text },
    {
      agent_type: text,
      parent_agent_run_id: text,
      model: text,
      tools: texts,
      system: text,
      background: flag,
      cwd: text,
      resumes: text,
    },
  ),
  'agent.finished': event({ agent_run_id: text, outcome: text }, { result: text, error: failure }),
  note: event({ name: text, value: anything }),
}

const SHAPES = byType(new Map(Object.entries(EVENTS)))

/** True for every event that the schema allows, and for those of types that it does not know. Never throws. */
export const isWellFormed = (ev: SessionEvent): boolean => SHAPES(ev)
