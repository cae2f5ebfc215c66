/** Hooks as the configuration holds them: which events they see, what runs, for how long. */
import { basename } from 'node:path'
import { z } from 'zod'
import { parseSafely } from '../checks/parse-safely.ts'
import { claudeGroups, claudeHooks } from './claude-config.ts'
import { HOOK_EVENTS, type HookEventName, MAY_BLOCK, SUBJECTS } from './hook-event.ts'
import type { HookConfig } from './hook-types.ts'
import { hookUrl, isHookSecret } from './hook-url.ts'

const DEFAULT_TIMEOUT_MS = 10_000
const MAX_TIMEOUT_MS = 600_000

const common = {
  /** Names of tools or agent types, several with `|`; a trailing `*` matches any ending. All if absent. */
  matcher: z.string().min(1).default('*'),
  name: z.string().min(1).optional(),
  timeout_ms: z.number().int().min(1).max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
  /** The effect of a failed hook. */
  on_failure: z.enum(['continue', 'block']).default('continue'),
  /** The hook is not waited for, and its answer has no effect. */
  async: z.boolean().optional(),
}
const Hook = z.union([
  z.strictObject({ ...common, command: z.string().min(1) }),
  z.strictObject({ ...common, module: z.string().min(1) }),
  z.strictObject({
    ...common,
    url: hookUrl,
    headers: z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\t\x20-\x7e]*$/)).optional(),
    /** Signs requests in the form of Standard Webhooks. */
    secret: z.string().refine(isHookSecret, 'must be whsec_ and 24 to 64 bytes in Base64').optional(),
  }),
])

const listOf = (event: HookEventName) =>
  z
    .array(Hook)
    .default([])
    .superRefine((hooks, context) => {
      for (const [at, hook] of hooks.entries()) {
        if (hook.on_failure === 'block' && !MAY_BLOCK.has(event))
          context.addIssue({
            code: 'custom',
            path: [at, 'on_failure'],
            message: `a hook of ${event} cannot block`,
          })
        if (hook.matcher !== '*' && SUBJECTS[event] === undefined)
          context.addIssue({
            code: 'custom',
            path: [at, 'matcher'],
            message: `${event} has nothing to match`,
          })
      }
    })

type ListSchemas = { readonly [Name in HookEventName]: ReturnType<typeof listOf> }
const Hooks = z.strictObject({
  ...(Object.fromEntries(HOOK_EVENTS.map(event => [event, listOf(event)])) as ListSchemas),
  ...claudeGroups,
})

export type HooksConfig = z.input<typeof Hooks>
export type HookLists = { readonly [Name in HookEventName]: readonly HookConfig[] }

/** Fills defaults in, and brings both forms into one. Throws a plain Error that names the field. */
export function parseHooks(value: unknown): HookLists {
  const parsed = parseSafely(Hooks, value)
  if (!parsed.success) throw new Error(`hooks: ${z.prettifyError(parsed.error)}`)
  const more = claudeHooks(parsed.data)
  const lists = HOOK_EVENTS.map(event => [event, [...parsed.data[event], ...(more[event] ?? [])]])
  return Object.fromEntries(lists) as HookLists
}

/** The display name of a hook. */
export const nameOf = (hook: HookConfig): string => {
  if (hook.name !== undefined) return hook.name
  if ('command' in hook) return hook.command
  return 'module' in hook ? hook.module : withoutQuery(hook.url)
}

/** The name of a hook in the log, where no arguments belong: they may hold secrets. */
export const labelOf = (hook: HookConfig): string => {
  if (hook.name !== undefined) return hook.name
  if ('url' in hook) return withoutQuery(hook.url)
  const [program = ''] = ('command' in hook ? hook.command : hook.module).trim().split(/\s+/)
  return basename(program)
}

function withoutQuery(text: string): string {
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`
}

/** `subject` is the name of a tool or of an agent type; empty for events without one. */
export function matches({ matcher }: HookConfig, subject: string): boolean {
  if (matcher instanceof RegExp) return matcher.test(subject)
  return matcher
    .split('|')
    .map(one => one.trim())
    .some(one => one === subject || (one.endsWith('*') && subject.startsWith(one.slice(0, -1))))
}
