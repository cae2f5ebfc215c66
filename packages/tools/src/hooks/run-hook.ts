/** Runs one hook within its time. Whatever it does, the answer is a value: what it said, or how it failed. */
import { pathToFileURL } from 'node:url'
import { reasonOf, untilAborted } from '@toolwire/core'
import type { z } from 'zod'
import { type HookConfig, nameOf } from './hook-config.ts'
import type { HookEvent } from './hook-event.ts'
import { runHookCommand } from './run-hook-command.ts'

export type HookOutcome<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly problem: string }

/** `schema` is what an answer to this event may be; nothing said is an empty answer. Never throws. */
export async function runHook<Schema extends z.ZodType>(
  hook: HookConfig,
  event: HookEvent,
  schema: Schema,
  signal: AbortSignal,
): Promise<HookOutcome<z.output<Schema>>> {
  const limit = AbortSignal.timeout(hook.timeout_ms)
  const either = AbortSignal.any([signal, limit])
  try {
    const said =
      'command' in hook
        ? await runHookCommand(hook.command, event, either)
        : await untilAborted(callModule(hook.module, event, either), either)
    const parsed = schema.safeParse(said ?? {})
    if (parsed.success) return { ok: true, answer: parsed.data }
    return { ok: false, problem: `${nameOf(hook)} gave an answer of another form: ${issueOf(parsed.error)}` }
  } catch (error) {
    if (limit.aborted) return { ok: false, problem: `${nameOf(hook)} took longer than ${hook.timeout_ms} ms` }
    const why = either.aborted ? 'it was stopped' : reasonOf(error)
    return { ok: false, problem: `${nameOf(hook)} failed: ${why}` }
  }
}

type HookFunction = (event: HookEvent, options: { readonly signal: AbortSignal }) => unknown

/** The module's `hook`, or its default export. */
async function callModule(path: string, event: HookEvent, signal: AbortSignal): Promise<unknown> {
  const url = path.includes('://') ? path : pathToFileURL(path).href
  const loaded = (await import(url)) as Readonly<Record<string, unknown>>
  const hook = loaded['hook'] ?? loaded['default']
  if (typeof hook !== 'function') throw new Error('the module exports no function named hook')
  return await (hook as HookFunction)(structuredClone(event), { signal })
}

function issueOf(error: z.ZodError): string {
  const [issue] = error.issues
  return issue ? `${issue.path.join('.')}: ${issue.message}` : 'unknown'
}
