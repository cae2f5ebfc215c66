/** Input and output of a hook. Commands exchange them as JSON. */
import type { HookQuestion, HookReport, LifecycleEvent } from '@toolwire/core'
import { z } from 'zod'

export interface EventBase {
  readonly session_id: string
  readonly run_id?: string
  readonly agent_run_id?: string
  readonly agent_type?: string
  readonly cwd: string
  readonly permission_mode: string
}

export interface BeforeTool extends EventBase {
  readonly event: 'before_tool'
  readonly call_id: string
  readonly tool: string
  readonly input: unknown
}

export interface AfterTool extends Omit<BeforeTool, 'event'> {
  readonly event: 'after_tool'
  readonly output_text: string
  readonly is_error: boolean
}

export type HookEvent = BeforeTool | AfterTool | (EventBase & (HookQuestion | HookReport))
export type HookEventName = 'before_tool' | 'after_tool' | LifecycleEvent

export const HOOK_EVENTS = [
  'session_start',
  'message',
  'before_tool',
  'permission_request',
  'permission_denied',
  'after_tool',
  'after_tool_batch',
  'before_compact',
  'after_compact',
  'before_stop',
  'run_end',
  'agent_start',
  'agent_stop',
  'elicitation',
  'context_loaded',
  'notification',
] as const satisfies readonly HookEventName[]

/** Events at which a failed hook can hold something back. */
export const MAY_BLOCK: ReadonlySet<HookEventName> = new Set([
  'before_tool',
  'after_tool',
  'message',
  'permission_request',
  'before_compact',
])

/** The field that a matcher is compared with. */
export const SUBJECTS: { readonly [Name in HookEventName]?: 'tool' | 'agent_type' } = {
  before_tool: 'tool',
  after_tool: 'tool',
  permission_request: 'tool',
  permission_denied: 'tool',
  elicitation: 'tool',
  agent_start: 'agent_type',
  agent_stop: 'agent_type',
}

const reason = z.string().optional()
const context = z.string().optional()
/** Ends the run, for this reason. */
const stop = z.string().optional()

/** Unknown fields are refused: a misspelt decision must not pass for none. */
export const BeforeAnswer = z.strictObject({
  decision: z.enum(['allow', 'deny', 'ask']).optional(),
  reason,
  /** Replaces the arguments; checked against the tool's schema like the model's own. */
  input: z.record(z.string(), z.unknown()).optional(),
  /** Sent to the model with the result. */
  context,
  stop,
})
export type BeforeAnswer = z.output<typeof BeforeAnswer>

export const AfterAnswer = z.strictObject({
  /** Replaces what the model sees. A failed call stays failed. */
  output: z.string().optional(),
  is_error: z.boolean().optional(),
  context,
  stop,
})
export type AfterAnswer = z.output<typeof AfterAnswer>

const ContextAnswer = z.strictObject({ context, stop })
const Continue = z
  .strictObject({ decision: z.literal('continue').optional(), reason, stop })
  .refine(answer => answer.decision === undefined || answer.reason, 'a run is sent on with a reason')
const Nothing = z.looseObject({})

/** The answers that hooks may give to questions beside those about the call itself. */
export const ANSWERS = {
  session_start: ContextAnswer,
  agent_start: ContextAnswer,
  permission_denied: ContextAnswer,
  after_tool_batch: ContextAnswer,
  message: z.strictObject({ decision: z.literal('block').optional(), reason, context, stop }),
  before_compact: z.strictObject({ decision: z.literal('block').optional(), reason, context, stop }),
  permission_request: z.strictObject({ decision: z.enum(['allow', 'deny']).optional(), reason, stop }),
  before_stop: Continue,
  agent_stop: Continue,
  elicitation: z.strictObject({
    decision: z.enum(['decline', 'cancel']).optional(),
    /** An object for a question with a form. */
    answer: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
    reason,
    stop,
  }),
  run_end: Nothing,
  after_compact: Nothing,
  context_loaded: Nothing,
  notification: Nothing,
} satisfies { readonly [Name in LifecycleEvent]: z.ZodType }

/** The answer of a command that ends with exit code 2. */
export function refusalOf(event: HookEventName, text: string): unknown {
  switch (event) {
    case 'before_tool':
    case 'permission_request':
      return { decision: 'deny', reason: text || 'A hook denied it.' }
    case 'message':
    case 'before_compact':
      return { decision: 'block', reason: text || 'A hook blocked it.' }
    case 'before_stop':
    case 'agent_stop':
      return { decision: 'continue', reason: text || 'A hook asks to continue.' }
    case 'elicitation':
      return { decision: 'decline', reason: text }
    default:
      return { context: text }
  }
}
