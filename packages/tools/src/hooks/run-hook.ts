/** Runs one hook within its time. Whatever it does, the answer is a value: what it said, or how it failed. */
import { pathToFileURL } from 'node:url'
import { reasonOf, untilAborted } from '@toolwire/core'
import type { z } from 'zod'
import { fromClaudeAnswer, plainAnswer, toClaudeInput } from './claude-form.ts'
import { nameOf } from './hook-config.ts'
import { type HookEvent, refusalOf } from './hook-event.ts'
import type { HookConfig } from './hook-types.ts'
import { type HookCommandEnd, runHookCommand } from './run-hook-command.ts'
import { runHookHttp } from './run-hook-http.ts'

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
    const parsed = schema.safeParse((await answerOf(hook, event, either)) ?? {})
    if (parsed.success) return { ok: true, answer: parsed.data }
    return { ok: false, problem: `${nameOf(hook)} gave an answer of another form: ${issueOf(parsed.error)}` }
  } catch (error) {
    if (limit.aborted) return { ok: false, problem: `${nameOf(hook)} took longer than ${hook.timeout_ms} ms` }
    const why = either.aborted ? 'it was stopped' : reasonOf(error)
    return { ok: false, problem: `${nameOf(hook)} failed: ${why}` }
  }
}

/** Runs a hook that nothing waits for. Never throws. */
export function runAside(hook: HookConfig, event: HookEvent, signal: AbortSignal): void {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(hook.timeout_ms)])
  answerOf(hook, event, limit).catch(() => undefined)
}

async function answerOf(hook: HookConfig, event: HookEvent, signal: AbortSignal): Promise<unknown> {
  if ('module' in hook) return await untilAborted(callModule(hook.module, event, signal), signal)
  const input = JSON.stringify(hook.form === 'claude' ? toClaudeInput(event) : event)
  if ('url' in hook) return readAnswer(hook, event, await runHookHttp(hook, input, signal))
  const { code, out, err } = await runHookCommand(hook, { input, cwd: event.cwd }, signal)
  if (code === REFUSED) return refusalOf(event.event, err)
  if (code !== 0) throw new Error(`it ended with ${endOf(code)}. ${err}`.trim())
  return readAnswer(hook, event, out)
}

const REFUSED = 2

const endOf = (code: HookCommandEnd['code']): string => (code === null ? 'a signal' : `exit code ${code}`)

function readAnswer(hook: HookConfig, { event }: HookEvent, output: string): unknown {
  const text = output.trim()
  if (text === '') return undefined
  if (hook.form !== 'claude') return JSON.parse(text)
  return text.startsWith('{') ? fromClaudeAnswer(event, JSON.parse(text)) : plainAnswer(event, text)
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
