/** Providers refuse a request that forces a tool while the model may think. */
import { AppError, type ToolChoice } from '@toolwire/core'
import type { DecodeOptions } from './decode-options.ts'
import type { Warnings } from './warning.ts'

/**
 * The tool choice of a request that lets the model think, by `field`. A forced tool is rejected with
 * `bad_request`; where the request prefers so, it is changed to `auto` with a warning.
 */
export function settleForced(
  choice: ToolChoice | undefined,
  field: 'thinking' | 'reasoning_effort',
  { downgrade }: DecodeOptions,
  warnings: Warnings,
): ToolChoice | undefined {
  if (choice?.type !== 'any' && choice?.type !== 'tool') return choice
  if (!downgrade)
    throw new AppError(
      'bad_request',
      `tool_choice: this model cannot be forced to call a tool while ${field} lets it think; drop one of the two, or send x-forced-tool: downgrade`,
    )
  warnings.add(
    'tool_choice_downgraded',
    `tool_choice: no tool can be forced while ${field} lets the model think; auto is used.`,
  )
  return { type: 'auto' }
}
