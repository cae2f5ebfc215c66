/**
 * The canonical vocabulary: the only source of event types, of the generated
 * JSON Schema (schema/event.schema.json) and of what a store may hold.
 *
 * Every event carries its own time and, where it belongs to one, its run. `seq`,
 * session and id are not part of the stored body: the store gives them at commit.
 * A change that old readers would misread gets a new `v` and an entry in upcast.ts.
 */
import { z } from 'zod'
import {
  ContentPart,
  Failure,
  Opaque,
  PendingItem,
  ToolFailure,
  ToolSpec,
  ToolView,
  Usage,
  Warning,
} from './content.ts'
import { event } from './define-event.ts'
import { hookEvents } from './hook-events.ts'
import { promptEvents } from './prompt-events.ts'
import { SessionAgent } from './session-agent.ts'
import { branch, effort, limits } from './shared-fields.ts'

const via = z.object({
  protocol: z.string(),
  dialect: z.string().optional(),
  /** The id of the API key that it came with, where there are keys. */
  key: z.string().optional(),
})
/** Ids of queued messages that stay in the queue until a next message, or a request to resume it. */
const queueHeld = z.array(z.string()).optional()
const executor = z.enum(['server', 'client', 'provider'])
const toolType = z.enum(['function', 'mcp', 'builtin'])

export const BlockKind = z.enum([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'provider_tool_use',
  'provider_tool_result',
  'refusal',
  'file',
])
export type BlockKind = z.infer<typeof BlockKind>

export const Finish = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'refusal', 'pause', 'error'])
export type Finish = z.infer<typeof Finish>

export const PauseReason = z.enum(['client_tool_execution', 'tool_approval_required', 'user_input_required'])
export type PauseReason = z.infer<typeof PauseReason>

const session = [
  event('session.created', {
    cwd: z.string(),
    model: z.string(),
    tools: z.array(z.string()),
    permission_mode: z.string(),
    /** For runs whose message asks for none. */
    effort: effort.optional(),
    title: z.string().optional(),
    system: z.string().optional(),
    /** Follows the server's prompt, or `system`. */
    append_system: z.string().optional(),
    /** Additions of the server to the prompt. Sessions without it get `system` alone: those of the gateway and of older logs. */
    context: z
      .object({
        instructions: z.enum(['auto', 'off']),
        environment: z.enum(['auto', 'off']),
        /** Skills: all that are found, none, or those of these names. Sessions of older logs have none. */
        skills: z.union([z.enum(['auto', 'off']), z.array(z.string())]).optional(),
      })
      .optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    aliases: z.object({ thread_no: z.number().int() }).optional(),
    agent: SessionAgent.optional(),
    forked_from: z.object({ session_id: z.string(), seq: z.number().int() }).optional(),
  }),
  ...promptEvents,
  event('session.updated', {
    title: z.string().optional(),
    model: z.string().optional(),
    permission_mode: z.string().optional(),
    effort: effort.optional(),
    /** Words to find it by; they replace those before. */
    tags: z.array(z.string()).optional(),
    /** Put away: lists leave it out unless they are asked for it. */
    archived: z.boolean().optional(),
    /** The next request records the prompt again, with what is true then. */
    refresh_context: z.literal(true).optional(),
  }),
  /** Continues the history of the parent as it was at `after_seq`, and becomes the active branch. No effect during a run. */
  event('branch.opened', branch),
  /** Another branch is continued. No effect during a run. */
  event('branch.selected', { branch_id: z.string(), by: z.string() }),
  event('session.bound', {
    provider: z.string(),
    provider_session_id: z.string(),
    cwd: z.string(),
    model: z.string(),
    tools: z.array(z.string()),
    permission_mode: z.string(),
  }),
] as const

const run = [
  event('run.started', {
    conversation_id: z.string(),
    trigger: z.enum(['message', 'tool_outputs', 'approvals', 'retry', 'regenerate', 'cancel', 'expiry']),
    parent_run_id: z.string().optional(),
    resumes_run_id: z.string().optional(),
    via: via.optional(),
    client_tools: z.array(ToolSpec),
    model: z.string(),
    ...limits,
    options: z.record(z.string(), z.unknown()).optional(),
  }),
  event('run.paused', {
    reason: PauseReason,
    pending: z.array(PendingItem),
    expires_at: z.string().optional(),
  }),
  event('run.resumed', {
    resumed_run_id: z.string(),
    resolved: z.array(z.string()),
    remaining: z.array(z.string()),
  }),
  event('run.completed', {
    status: z.enum(['success', 'partial_success', 'with_errors']),
    finish: Finish,
    result_text: z.string(),
    usage_by_model: z.array(z.object({ model: z.string(), usage: Usage, cost_usd: z.number().optional() })),
    cost_usd: z.number().optional(),
    duration_ms: z.number(),
    num_turns: z.number().int(),
  }),
  event('run.failed', {
    error: Failure,
    queue_held: queueHeld,
    usage_by_model: z.array(z.object({ model: z.string(), usage: Usage, cost_usd: z.number().optional() })),
    cost_usd: z.number().optional(),
    duration_ms: z.number(),
    num_turns: z.number().int(),
  }),
  event('run.cancelled', {
    reason: z.string(),
    /** The message that interrupted the run; its own run comes next. */
    by_message: z.string().optional(),
    queue_held: queueHeld,
    usage_by_model: z.array(z.object({ model: z.string(), usage: Usage, cost_usd: z.number().optional() })),
    cost_usd: z.number().optional(),
    duration_ms: z.number(),
    num_turns: z.number().int(),
  }),
] as const

const input = [
  event('input.message', {
    message_id: z.string(),
    /** The id that the client gave it; a name for it in this session, nothing else. */
    client_message_id: z.string().optional(),
    /** The id that the client gave its run: the same message in another run asks for another answer. */
    client_run_id: z.string().optional(),
    role: z.enum(['user', 'system']),
    content: z.array(ContentPart),
    via: via.optional(),
    client_tools: z.array(ToolSpec).optional(),
    model: z.string().optional(),
    ...limits,
    options: z.record(z.string(), z.unknown()).optional(),
    /**
     * Handling of a pause that this message meets: close its items, wait behind it, or go to the model together
     * with the answers that end it (then it carries their run id).
     */
    if_paused: z.enum(['supersede', 'queue', 'join']).optional(),
    /**
     * Handling of a run that this message meets: wait for its end, go to its model before the next request, or end it
     * (the same write holds the cancel). It waits for the end when absent.
     */
    when_running: z.enum(['queue', 'steer', 'interrupt']).optional(),
    /** The background agent whose end this message reports; one such message per agent. */
    notifies: z.string().optional(),
    /** The branch that opens when its run starts. The note names the effects of the replaced part that remain. */
    branch: z.object({ ...branch, note: z.string().optional() }).optional(),
  }),
  /**
   * A message that waited goes to the model of this run with its next request. For a message that met an idle
   * session the start of its run is the delivery.
   */
  event('input.delivered', { message_id: z.string(), run_id: z.string(), turn: z.number().int() }),
  /** A message that waits is another one now; absent fields stay as they are. */
  event('input.changed', {
    message_id: z.string(),
    /** 1 for the first change, then one more for each. */
    revision: z.number().int(),
    content: z.array(ContentPart).optional(),
    when_running: z.enum(['queue', 'steer']).optional(),
    /** Its new position among the messages that wait, from 0. */
    place: z.number().int().optional(),
    /** It waits no longer for a next message. */
    held: z.literal(false).optional(),
  }),
  /** A message that waited leaves the queue and never reaches a model. */
  event('input.withdrawn', { message_id: z.string(), by: z.string(), reason: z.string().optional() }),
  event('input.tool_output', {
    call_id: z.string(),
    output_text: z.string(),
    /** The whole output if it is more than text: images and documents, with the texts between them. */
    content: z.array(ContentPart).optional(),
    is_error: z.boolean(),
    by: z.string(),
    /** Set by the runtime when the deadline passed without an answer. */
    expired: z.boolean().optional(),
    via: via.optional(),
    /** Settings of the request that brought it; the run that resumes has them in place of its earlier ones. */
    options: z.record(z.string(), z.unknown()).optional(),
  }),
  event('input.approval', {
    approval_id: z.string(),
    call_id: z.string(),
    /** `cancelled`: a question that was dismissed without an answer. */
    decision: z.enum(['approved', 'denied', 'expired', 'cancelled']),
    reason: z.string().optional(),
    edited_input_text: z.string().optional(),
    /** The answer to give the model instead of running the call. */
    answer_text: z.string().optional(),
    rule: z.string().optional(),
    /** The rule applies until then; without it, as long as its file is kept. */
    rule_expires_at: z.string().optional(),
    by: z.string().optional(),
    via: via.optional(),
  }),
  /** Ends the run; with `call_id` only that call, and the run continues. */
  event('input.cancel', {
    reason: z.string(),
    by: z.string(),
    call_id: z.string().optional(),
    /** The message that interrupts the run, in the same write. */
    by_message: z.string().optional(),
  }),
] as const

const turn = [
  event('turn.started', {
    turn: z.number().int(),
    provider: z.string(),
    model: z.string(),
    attempt: z.number().int(),
  }),
  event('message.started', {
    message_id: z.string(),
    provider_message_id: z.string(),
    role: z.literal('assistant'),
    /** The model as its provider names it. */
    model: z.string().optional(),
    warnings: z.array(Warning).optional(),
  }),
  /** The half message is over: what it said stays visible, the model never sees it again. What it used counts. */
  event('message.aborted', {
    message_id: z.string(),
    reason: z.string(),
    error: Failure.optional(),
    usage: Usage.optional(),
    cost_usd: z.number().optional(),
    request_id: z.string().optional(),
  }),
  /**
   * The history outgrew the model's context: from here on the model sees a summary instead of the first messages,
   * and only the start of some outputs. The log keeps everything. Each event holds the complete compaction.
   */
  event('history.compacted', {
    /** Messages from the start of the history that the summary replaces. */
    replaced: z.number().int(),
    summary: z.string().optional(),
    /** Calls after them whose outputs are shortened. */
    shortened: z.array(z.string()),
    /** Calls that loaded skills and whose results the summary repeats. */
    repeated: z.array(z.string()).optional(),
  }),
  event('turn.completed', {
    message_id: z.string(),
    stop_reason: z.string(),
    finish: Finish,
    stop_details: z.unknown().optional(),
    usage: Usage,
    cost_usd: z.number().optional(),
    model: z.string().optional(),
    request_id: z.string().optional(),
    has_next: z.boolean(),
  }),
] as const

const block = [
  event('block.started', {
    message_id: z.string(),
    block_id: z.string(),
    index: z.number().int(),
    run_index: z.number().int(),
    kind: BlockKind,
    tool: z
      .object({
        call_id: z.string(),
        name: z.string(),
        tool_type: toolType,
        server: z.string().optional(),
        executor,
        title: z.string().optional(),
      })
      .optional(),
  }),
  event('block.delta', {
    block_id: z.string(),
    offset: z.number().int(),
    text: z.string().optional(),
    input_text: z.string().optional(),
    thinking: z.string().optional(),
    signature: z.string().optional(),
    citation: z.unknown().optional(),
  }),
  event('block.completed', {
    block_id: z.string(),
    text: z.string().optional(),
    thinking: z.string().optional(),
    signature: z.string().optional(),
    data: z.unknown().optional(),
    input_text: z.string().optional(),
    citations: z.array(z.unknown()).optional(),
    opaque: Opaque.optional(),
  }),
] as const

const tool = [
  event('tool.ready', {
    call_id: z.string(),
    name: z.string(),
    tool_type: toolType,
    executor,
    input_text: z.string(),
    input: z.unknown(),
    view: ToolView.optional(),
    /** Identity of the definition that the model was offered; a tool that is another one now does not run. */
    definition: z.string().optional(),
  }),
  event('tool.approval_requested', {
    approval_id: z.string(),
    call_id: z.string(),
    name: z.string(),
    kind: z.enum(['approval', 'question']).optional(),
    message: z.string().optional(),
    allow_edit: z.boolean(),
    options: z.array(z.unknown()).optional(),
    /** JSON Schema of the answer; any text when absent. */
    schema: z.record(z.string(), z.unknown()).optional(),
    /** A page to open; the answer says whether the person agreed to. */
    url: z.string().optional(),
    /** The call has started and continues with the answer; otherwise the answer is its result. */
    resumes: z.boolean().optional(),
    expires_at: z.string().optional(),
    automatic: z.boolean().optional(),
    details: z.unknown().optional(),
  }),
  event('tool.approval_resolved', {
    approval_id: z.string(),
    call_id: z.string(),
    decision: z.enum(['approved', 'denied', 'expired', 'cancelled']),
    reason: z.string().optional(),
    by: z.string(),
    automatic: z.boolean().optional(),
    edited_input_text: z.string().optional(),
    answer_text: z.string().optional(),
    rule: z.string().optional(),
    rule_expires_at: z.string().optional(),
  }),
  event('tool.client_requested', {
    call_id: z.string(),
    name: z.string(),
    input_text: z.string(),
    deadline: z.string().optional(),
    /** The validation error of the arguments; only for a tool that accepts any arguments. */
    problem: z.string().optional(),
  }),
  /**
   * It may run and has to wait for its turn: behind these calls of its session, or, when none is
   * named, until one of the places is free that calls may take at once.
   */
  event('tool.queued', { call_id: z.string(), after: z.array(z.string()) }),
  event('tool.started', { call_id: z.string(), attempt: z.number().int() }),
  event('tool.progress', {
    call_id: z.string(),
    message: z.string().optional(),
    progress: z.number().optional(),
    total: z.number().optional(),
    output_delta: z.string().optional(),
    data: z.unknown().optional(),
  }),
  event('tool.completed', {
    call_id: z.string(),
    content: z.array(ContentPart),
    output_text: z.string(),
    is_error: z.boolean(),
    /** The reason of the error, if the tool knows it: `exit_1`, `sandbox_denied`, `mcp_error`. */
    error: ToolFailure.optional(),
    structured: z.unknown().optional(),
    view: ToolView.optional(),
    /** The source of text when others wrote it (an address, an MCP server, an agent); models get it fenced. */
    outside: z.string().optional(),
    duration_ms: z.number(),
  }),
  event('tool.failed', {
    call_id: z.string(),
    error: ToolFailure,
    output_text: z.string(),
    outside: z.string().optional(),
    duration_ms: z.number(),
  }),
] as const

const agent = [
  event('agent.started', {
    agent_run_id: z.string(),
    name: z.string(),
    /** Its kind, as the tool that started it knows it; rules may be for one kind alone. Its model chose the name. */
    agent_type: z.string().optional(),
    /** The version of its kind, if that has versions. */
    agent: z.object({ id: z.string(), version: z.string() }).optional(),
    parent_call_id: z.string(),
    parent_agent_run_id: z.string().optional(),
    prompt: z.string(),
    model: z.string().optional(),
    /** Models that it may ask, by the rights of the run that starts it; any when absent. */
    allowed_models: z.array(z.string()).optional(),
    tools: z.array(z.string()).optional(),
    system: z.string().optional(),
    /** The call does not wait for it: it outlives the run, and a message reports its end. */
    background: z.boolean().optional(),
    /** Its own workspace; the session's when absent. */
    cwd: z.string().optional(),
    /** The earlier agent whose conversation it continues. */
    resumes: z.string().optional(),
  }),
  event('agent.finished', {
    agent_run_id: z.string(),
    outcome: z.enum(['success', 'suspended', 'error']),
    result: z.string().optional(),
    error: Failure.optional(),
  }),
  event('note', { name: z.string(), value: z.unknown() }),
  ...hookEvents,
] as const

export const SessionEvent = z.discriminatedUnion('type', [
  ...session,
  ...run,
  ...input,
  ...turn,
  ...block,
  ...tool,
  ...agent,
])
export type SessionEvent = z.infer<typeof SessionEvent>
