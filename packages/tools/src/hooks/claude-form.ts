/** Input of hooks in the form of Claude Code, and the meaning of their answers here. Pure. */
import { CLAUDE_EVENTS } from './claude-config.ts'
import type { HookEvent, HookEventName } from './hook-event.ts'

const NAMES: Readonly<Partial<Record<string, string>>> = Object.fromEntries(
  Object.entries(CLAUDE_EVENTS)
    .toReversed()
    .map(([theirs, ours]) => [ours, theirs]),
)

/** There is no transcript file: the field is empty. */
export function toClaudeInput(event: HookEvent): Readonly<Record<string, unknown>> {
  const { session_id, cwd, permission_mode, run_id, agent_run_id, agent_type } = event
  return {
    session_id,
    transcript_path: '',
    cwd,
    permission_mode,
    ...(run_id === undefined ? {} : { prompt_id: run_id }),
    ...(agent_run_id === undefined ? {} : { agent_id: agent_run_id }),
    ...(agent_type === undefined ? {} : { agent_type }),
    hook_event_name: nameOf(event),
    ...inputOf(event),
  }
}

const nameOf = (event: HookEvent): string | undefined =>
  event.event === 'after_tool' && event.is_error ? 'PostToolUseFailure' : NAMES[event.event]

function inputOf(event: HookEvent): Readonly<Record<string, unknown>> {
  switch (event.event) {
    case 'session_start':
      return { source: 'startup', model: event.model }
    case 'message':
      return { prompt: event.text }
    case 'before_tool':
    case 'permission_request':
      return { tool_name: event.tool, tool_input: event.input, tool_use_id: event.call_id }
    case 'permission_denied':
      return {
        tool_name: event.tool,
        tool_input: parsed(event.input_text),
        tool_use_id: event.call_id,
        reason: event.reason,
      }
    case 'after_tool':
      return {
        tool_name: event.tool,
        tool_input: event.input,
        tool_use_id: event.call_id,
        ...(event.is_error ? { error: event.output_text } : { tool_response: event.output_text }),
      }
    case 'after_tool_batch':
      return { tool_calls: event.calls.map(call => ({ tool_name: call.tool, tool_use_id: call.call_id })) }
    case 'before_compact':
    case 'after_compact':
      return { trigger: 'auto' }
    case 'before_stop':
    case 'agent_stop':
      return { stop_hook_active: event.times > 0, last_assistant_message: event.result_text }
    case 'elicitation':
      return {
        message: event.message,
        mode: event.url === undefined ? 'form' : 'url',
        requested_schema: event.schema,
        url: event.url,
      }
    case 'notification':
      return { notification_type: 'permission_prompt', message: `The run waits: ${event.reason}` }
    default:
      return {}
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type JsonFields = Readonly<Record<string, unknown>>

/** Text that is no JSON is for the model at two events, and has no effect at the others. */
export function plainAnswer(event: HookEventName, text: string): unknown {
  return event === 'session_start' || event === 'message' ? { context: text } : {}
}

/** An answer in our own form, still to be checked. Throws for an answer that cannot be followed here. */
export function fromClaudeAnswer(event: HookEventName, answer: unknown): unknown {
  const all = toFields(answer)
  const own = toFields(all['hookSpecificOutput'])
  return { ...stopOf(all), ...effectOf(event, all, own) }
}

const stopOf = ({ continue: isContinued, stopReason }: JsonFields): JsonFields =>
  isContinued === false ? { stop: String(stopReason ?? 'A hook stopped the run.') } : {}

function effectOf(event: HookEventName, all: JsonFields, own: JsonFields): JsonFields {
  switch (event) {
    case 'before_tool':
      return { ...contextOf(own), ...callDecision(all, own) }
    case 'permission_request':
      return requestDecision(toFields(own['decision']))
    case 'after_tool':
      return { ...contextOf(own), ...afterCall(all, own) }
    case 'message':
    case 'before_compact':
      return { ...contextOf(own), ...blockAs('block', all) }
    case 'before_stop':
    case 'agent_stop':
      return blockAs('continue', all)
    case 'elicitation':
      return elicited(own)
    case 'session_start':
    case 'agent_start':
    case 'permission_denied':
    case 'after_tool_batch':
      return contextOf(own)
    default:
      return {}
  }
}

const contextOf = ({ additionalContext: context }: JsonFields): JsonFields =>
  context === undefined ? {} : { context }

const blockAs = (mine: string, { decision, reason }: JsonFields): JsonFields =>
  decision === 'block' ? { decision: mine, ...(reason === undefined ? {} : { reason }) } : {}

function afterCall({ decision, reason }: JsonFields, { updatedToolOutput: output }: JsonFields): JsonFields {
  return {
    ...(decision === 'block' && reason !== undefined ? { context: reason } : {}),
    ...(output === undefined ? {} : { output: typeof output === 'string' ? output : JSON.stringify(output) }),
  }
}

const toFields = (value: unknown): JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : {}

/** The older `decision` of a hook before a call means the same as its own field. */
function callDecision({ decision, reason }: JsonFields, own: JsonFields): JsonFields {
  const older = decision === 'approve' ? 'allow' : decision === 'block' ? 'deny' : undefined
  const chosen = own['permissionDecision'] ?? older
  const because = own['permissionDecisionReason'] ?? reason
  const input = own['updatedInput']
  return {
    ...(chosen === undefined ? {} : { decision: chosen }),
    ...(because === undefined ? {} : { reason: because }),
    ...(input === undefined ? {} : { input }),
  }
}

function requestDecision({ behavior, message, ...rest }: JsonFields): JsonFields {
  const more = Object.keys(rest).filter(name => name !== 'interrupt')
  if (more.length > 0)
    throw new Error(`${more.join(', ')} cannot be changed by an answer to PermissionRequest`)
  return {
    ...(behavior === undefined ? {} : { decision: behavior }),
    ...(message === undefined ? {} : { reason: message }),
    ...(rest['interrupt'] === true ? { stop: String(message ?? 'A hook stopped the run.') } : {}),
  }
}

function elicited({ action, content }: JsonFields): JsonFields {
  if (action === 'accept') return { answer: content ?? {} }
  return action === undefined ? {} : { decision: action }
}
