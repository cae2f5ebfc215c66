/**
 * The scenario file format: a list of turns, each with conditions and with what the model
 * then says. docs/demo-model.md describes it for writers; this is what is enforced.
 */
import { z } from 'zod'
import { FINISH_OF, type StopReason } from '../demo/plan/plan.ts'

const chunking = {
  /** The exact deltas; joined they must equal the content. */
  chunks: z.array(z.string()).optional(),
  /** Deltas of this many characters. */
  chunk_size: z.number().int().positive().optional(),
}

const pattern = z.string().superRefine((source, context) => {
  try {
    new RegExp(source, 'iu')
  } catch (error) {
    context.addIssue({
      code: 'custom',
      message: error instanceof Error ? error.message : 'not a regular expression',
    })
  }
})

/** All conditions that are given must hold. Texts are compared without regard to case. */
const When = z.strictObject({
  text_contains: z.string().optional(),
  text_matches: pattern.optional(),
  /** 1 for the model's first message of the conversation. */
  turn: z.number().int().positive().optional(),
  result_contains: z.string().optional(),
  result_is_error: z.boolean().optional(),
  /** True if the model responds to tool results. */
  has_result: z.boolean().optional(),
})

const ToolCall = z
  .strictObject({
    type: z.literal('tool_call'),
    name: z.string().min(1),
    id: z.string().min(1).optional(),
    input: z.record(z.string(), z.unknown()).optional(),
    /** Raw argument text instead of `input`; need not be JSON. */
    input_text: z.string().optional(),
    ...chunking,
  })
  .refine(call => call.input === undefined || call.input_text === undefined, {
    message: 'give input or input_text, not both',
    path: ['input_text'],
  })

const Emit = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), ...chunking }),
  z.strictObject({ type: z.literal('thinking'), text: z.string(), ...chunking }),
  ToolCall,
  z.strictObject({ type: z.literal('delay'), ms: z.number().int().nonnegative().max(600_000) }),
  z.strictObject({
    type: z.literal('error'),
    code: z.string().min(1),
    message: z.string(),
    retryable: z.boolean().optional(),
    http_status: z.number().int().optional(),
  }),
])

const Turn = z
  .strictObject({
    when: When.optional(),
    emit: z.array(Emit).min(1),
    /** `tool_use` when a tool is called, else `end_turn`, unless said otherwise. */
    stop_reason: z.enum(Object.keys(FINISH_OF) as [StopReason, ...StopReason[]]).optional(),
    stop_details: z.unknown().optional(),
  })
  .superRefine((turn, context) => {
    const at = turn.emit.findIndex(step => step.type === 'error')
    if (at >= 0 && at < turn.emit.length - 1)
      context.addIssue({
        code: 'custom',
        path: ['emit', at],
        message: 'an error ends the message: it must be the last step',
      })
    turn.emit.forEach((step, index) => {
      const content = contentOf(step)
      if ('chunks' in step && step.chunks && content !== undefined && step.chunks.join('') !== content)
        context.addIssue({
          code: 'custom',
          path: ['emit', index, 'chunks'],
          message: 'chunks joined must equal the content',
        })
    })
  })

/** The text that chunks must add up to, where it is written out. */
function contentOf(step: z.infer<typeof Emit>): string | undefined {
  if (step.type === 'text' || step.type === 'thinking') return step.text
  return step.type === 'tool_call' ? step.input_text : undefined
}

export const Scenario = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1),
  description: z.string().optional(),
  turns: z.array(Turn).min(1),
})
export type Scenario = z.infer<typeof Scenario>
export type ScenarioTurn = Scenario['turns'][number]
export type ScenarioStep = ScenarioTurn['emit'][number]
