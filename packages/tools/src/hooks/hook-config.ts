/** Hooks as the configuration holds them: which calls they see, what runs, for how long. */
import { z } from 'zod'
import { parseSafely } from '../checks/parse-safely.ts'

const DEFAULT_TIMEOUT_MS = 10_000
const MAX_TIMEOUT_MS = 600_000

const common = {
  /** Tool names, several with `|`; a trailing `*` matches any ending. All tools if absent. */
  matcher: z.string().min(1).default('*'),
  name: z.string().min(1).optional(),
  timeout_ms: z.number().int().min(1).max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
  /** The effect of a failed hook on the call. */
  on_failure: z.enum(['continue', 'block']).default('continue'),
}
const Hook = z.union([
  z.strictObject({ ...common, command: z.string().min(1) }),
  z.strictObject({ ...common, module: z.string().min(1) }),
])
const Hooks = z.strictObject({
  before_tool: z.array(Hook).default([]),
  after_tool: z.array(Hook).default([]),
})

export type HookConfig = z.output<typeof Hook>
export type HooksConfig = z.input<typeof Hooks>

/** Fills defaults in. Throws a plain Error that names the field. */
export function parseHooks(value: unknown): z.output<typeof Hooks> {
  const parsed = parseSafely(Hooks, value)
  if (parsed.success) return parsed.data
  throw new Error(`hooks: ${z.prettifyError(parsed.error)}`)
}

/** The display name of a hook. */
export const nameOf = (hook: HookConfig): string =>
  hook.name ?? ('command' in hook ? hook.command : hook.module)

export const matches = ({ matcher }: HookConfig, tool: string): boolean =>
  matcher
    .split('|')
    .map(one => one.trim())
    .some(one => one === tool || (one.endsWith('*') && tool.startsWith(one.slice(0, -1))))
