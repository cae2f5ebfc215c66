/** Input and output of a hook. Commands exchange them as JSON. */
import { z } from 'zod'

export interface BeforeTool {
  readonly event: 'before_tool'
  readonly session_id: string
  readonly call_id: string
  readonly agent_run_id?: string
  readonly tool: string
  readonly input: unknown
  readonly cwd: string
  readonly permission_mode: string
}

export interface AfterTool extends Omit<BeforeTool, 'event'> {
  readonly event: 'after_tool'
  readonly output_text: string
  readonly is_error: boolean
}

export type HookEvent = BeforeTool | AfterTool

/** Unknown fields are refused: a misspelt decision must not pass for none. */
export const BeforeAnswer = z.strictObject({
  decision: z.enum(['allow', 'deny', 'ask']).optional(),
  reason: z.string().optional(),
  /** Replaces the arguments; checked against the tool's schema like the model's own. */
  input: z.record(z.string(), z.unknown()).optional(),
  /** Sent to the model with the result. */
  context: z.string().optional(),
})
export type BeforeAnswer = z.output<typeof BeforeAnswer>

export const AfterAnswer = z.strictObject({
  /** Replaces what the model sees. A failed call stays failed. */
  output: z.string().optional(),
  is_error: z.boolean().optional(),
  context: z.string().optional(),
})
export type AfterAnswer = z.output<typeof AfterAnswer>
