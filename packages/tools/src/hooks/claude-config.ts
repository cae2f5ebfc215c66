/** Hooks in the form of Claude Code: events with matchers and handlers, times in seconds. */
import { z } from 'zod'
import type { HookEventName } from './hook-event.ts'
import type { HookConfig } from './hook-types.ts'
import { hookUrl } from './hook-url.ts'

/** Claude Code's names of the events that there are here too. */
export const CLAUDE_EVENTS = {
  SessionStart: 'session_start',
  UserPromptSubmit: 'message',
  PreToolUse: 'before_tool',
  PermissionRequest: 'permission_request',
  PermissionDenied: 'permission_denied',
  PostToolUse: 'after_tool',
  PostToolUseFailure: 'after_tool',
  PostToolBatch: 'after_tool_batch',
  PreCompact: 'before_compact',
  PostCompact: 'after_compact',
  Stop: 'before_stop',
  SubagentStart: 'agent_start',
  SubagentStop: 'agent_stop',
  Elicitation: 'elicitation',
  InstructionsLoaded: 'context_loaded',
  Notification: 'notification',
} as const satisfies Readonly<Record<string, HookEventName>>

type ClaudeEvent = keyof typeof CLAUDE_EVENTS
const NAMES = Object.keys(CLAUDE_EVENTS) as readonly ClaudeEvent[]

/** Claude Code ignores the matchers of these. */
const WITHOUT_MATCHER: ReadonlySet<ClaudeEvent> = new Set([
  'UserPromptSubmit',
  'PostToolBatch',
  'Stop',
  'InstructionsLoaded',
])

const DEFAULT_SECONDS = 60
const MAX_SECONDS = 600

const common = {
  timeout: z.number().positive().max(MAX_SECONDS).default(DEFAULT_SECONDS),
  onFailure: z.enum(['continue', 'block']).default('continue'),
  async: z.boolean().optional(),
  /** Shown by Claude Code while the hook runs. */
  statusMessage: z.string().optional(),
}
const Handler = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      ...common,
      type: z.literal('command'),
      command: z.string().min(1),
      /** With them no shell reads the command. */
      args: z.array(z.string()).optional(),
    }),
    z.strictObject({
      ...common,
      type: z.literal('http'),
      url: hookUrl,
      headers: z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\t\x20-\x7e]*$/)).optional(),
    }),
  ],
  { error: issue => unsupported(issue.input) },
)

function unsupported(handler: unknown): string {
  const type: unknown = (handler as { readonly type?: unknown } | undefined)?.type
  return `hooks of the type ${JSON.stringify(type)} are not supported; there are command and http`
}

const Group = z.strictObject({
  matcher: z
    .string()
    .default('')
    .refine(text => toPattern(text) !== undefined, 'is no regular expression'),
  hooks: z.array(Handler),
})
const groups = z.array(Group).optional()

export const claudeGroups = Object.fromEntries(NAMES.map(name => [name, groups])) as {
  readonly [Name in ClaudeEvent]: typeof groups
}

type ClaudeGroups = { readonly [Name in ClaudeEvent]?: z.output<typeof groups> }

export function claudeHooks(config: ClaudeGroups): {
  readonly [Name in HookEventName]?: readonly HookConfig[]
} {
  const lists: { [Name in HookEventName]?: HookConfig[] } = {}
  for (const name of NAMES) {
    const event = CLAUDE_EVENTS[name]
    const list = lists[event] ?? []
    lists[event] = list
    for (const { matcher, hooks } of config[name] ?? [])
      list.push(...hooks.map(handler => toHook(name, WITHOUT_MATCHER.has(name) ? '' : matcher, handler)))
  }
  return lists
}

function toHook(event: ClaudeEvent, matcher: string, handler: z.output<typeof Handler>): HookConfig {
  return {
    ...('url' in handler
      ? { url: handler.url, headers: handler.headers }
      : { command: handler.command, args: handler.args }),
    form: 'claude',
    timeout_ms: Math.ceil(handler.timeout * 1000),
    on_failure: handler.onFailure,
    async: handler.async,
    matcher: toPattern(matcher) ?? /^$/,
    ...(event === 'PostToolUse' ? { only: 'success' } : {}),
    ...(event === 'PostToolUseFailure' ? { only: 'failure' } : {}),
  }
}

/** All of the name has to match; nothing and `*` match every name. */
function toPattern(text: string): RegExp | undefined {
  if (text === '' || text === '*') return /^/
  try {
    return new RegExp(`^(?:${text})$`)
  } catch {
    return undefined
  }
}
