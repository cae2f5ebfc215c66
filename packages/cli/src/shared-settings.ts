/** Settings that the configuration file and the options of a program have in common, and their forms. */
import { EFFORTS } from '@toolwire/core'
import type { HooksConfig } from '@toolwire/tools'
import { z } from 'zod'

export const text = z.string('must be text').min(1, 'must not be empty')
export const milliseconds = z.coerce
  .number('must be a number of milliseconds')
  .int('must be a whole number')
  .min(1000, 'must be at least 1000')
export const count = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(1, 'must be at least 1')
const rules = z
  .array(
    z.union([
      text,
      z.strictObject({
        rule: text,
        message: text.optional(),
        match: z.array(text).optional(),
        not_match: z.array(text).optional(),
        expires_at: text.optional(),
      }),
    ]),
  )
  .optional()
export const list = z.union([
  z.array(text),
  text.transform(s =>
    s
      .split(',')
      .map(part => part.trim())
      .filter(Boolean),
  ),
])

const PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const

export const sharedSettings = {
  permissionMode: z
    .enum(PERMISSION_MODES, `must be one of ${PERMISSION_MODES.join(', ')}`)
    .default('default'),
  /** Effort of thinking that models are asked for; `auto` leaves the amount to the model. */
  effort: z.enum(EFFORTS, `must be one of ${EFFORTS.join(', ')}`).default('auto'),
  maxTurns: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .default(50),
  /** Asked in this order when a model fails before it has said anything. */
  fallbackModels: list.default([]),
  /** Limits of one run; unlimited if absent. A request may ask for less. */
  maxCostUsd: z.coerce.number('must be a number of dollars').positive('must be more than 0').optional(),
  maxTotalTokens: count.optional(),
  maxDurationMs: milliseconds.optional(),
  /** The prompt of sessions that bring none; only in the file. */
  prompt: z
    .strictObject({
      name: text.max(100).optional(),
      /** The operator's words for all sessions. */
      instructions: z.string().max(100_000).optional(),
      /** Folders beside the workspace whose instruction files are loaded. */
      trusted: z.array(text).default([]),
    })
    .default({ trusted: [] }),
  /** MCP servers as other hosts configure them; only in the file. */
  mcpServers: z.record(z.string(), z.unknown(), 'must be an object').optional(),
  /** Permission rules; only in the file. */
  permissions: z
    .strictObject({ allow: rules, ask: rules, deny: rules }, 'must hold allow, ask and deny lists')
    .optional(),
  /** Hooks around tool calls; only in the file. */
  hooks: z
    .custom<HooksConfig>(value => typeof value === 'object' && value !== null, 'must be an object')
    .optional(),
}
