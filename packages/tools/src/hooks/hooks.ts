/** All hooks of a server, asked in the order of the configuration. Each sees what the one before it left. */
import { type HookLists, matches, nameOf } from './hook-config.ts'
import { AfterAnswer, type AfterTool, BeforeAnswer, type BeforeTool } from './hook-event.ts'
import type { HookConfig } from './hook-types.ts'
import { runAside, runHook } from './run-hook.ts'

/** The combined decision of the hooks before a call. JSON, so that it can be kept in the log. */
export interface BeforeResult {
  readonly decision?: 'allow' | 'deny' | 'ask'
  readonly reason?: string
  /** The arguments as the hooks want them; absent when none changed them. */
  readonly input?: Readonly<Record<string, unknown>>
  /** The run ends, for this reason. */
  readonly stop?: string
  /** For the model: context, and failures of hooks. */
  readonly notes: readonly string[]
}

interface AfterResult {
  readonly output?: string
  readonly is_error?: boolean
  readonly stop?: string
  readonly notes: readonly string[]
}

export interface Hooks {
  /** True if a hook matches calls of this tool. */
  readonly watches: (tool: string) => boolean
  /** Stops at the first denial. A question outweighs an allowance. Never throws. */
  readonly before: (event: BeforeTool, signal: AbortSignal) => Promise<BeforeResult>
  readonly after: (event: AfterTool, signal: AbortSignal) => Promise<AfterResult>
}

/** Modules are loaded at their first call. */
export function createHooks({ before_tool, after_tool }: HookLists): Hooks {
  return {
    watches: tool => [...before_tool, ...after_tool].some(hook => matches(hook, tool)),
    async before(event, signal) {
      let result: BeforeResult = { notes: [] }
      for (const hook of before_tool.filter(one => matches(one, event.tool))) {
        const asked = { ...event, input: result.input ?? event.input }
        if (hook.async) {
          runAside(hook, asked, signal)
          continue
        }
        const told = await runHook(hook, asked, BeforeAnswer, signal)
        result = told.ok ? addAnswer(result, told.answer) : addFailure(result, hook, told.problem)
        if (result.decision === 'deny' || result.stop !== undefined) break
      }
      return result
    },
    async after(event, signal) {
      let result: AfterResult = { notes: [] }
      for (const hook of after_tool.filter(one => matches(one, event.tool))) {
        const { output = event.output_text, is_error = event.is_error } = result
        if (hook.only && (hook.only === 'failure') !== is_error) continue
        const asked = { ...event, output_text: output, is_error }
        if (hook.async) {
          runAside(hook, asked, signal)
          continue
        }
        const told = await runHook(hook, asked, AfterAnswer, signal)
        result = told.ok ? addChange(result, told.answer) : addFault(result, hook, told.problem)
      }
      return result
    },
  }
}

function addAnswer(result: BeforeResult, answer: BeforeAnswer): BeforeResult {
  const { context, input, decision, reason, stop } = answer
  if (stop !== undefined)
    return { ...result, stop, decision: 'deny', reason: `A hook stopped the run: ${stop}` }
  const stronger = decision !== undefined && !(result.decision === 'ask' && decision === 'allow')
  return {
    ...result,
    ...(stronger ? { decision, reason: reason ?? defaultReason(decision) } : {}),
    ...(input === undefined ? {} : { input }),
    notes: context ? [...result.notes, context] : result.notes,
  }
}

function defaultReason(decision: 'allow' | 'deny' | 'ask'): string {
  switch (decision) {
    case 'allow':
      return 'A hook allowed it.'
    case 'deny':
      return 'A hook denied it.'
    case 'ask':
      return 'A hook wants it to be asked about.'
  }
}

function addFailure(result: BeforeResult, hook: HookConfig, problem: string): BeforeResult {
  if (hook.on_failure === 'block')
    return { ...result, decision: 'deny', reason: `The hook ${problem}, and nothing may run without it.` }
  return { ...result, notes: [...result.notes, `The hook ${problem}. The call continued without it.`] }
}

function addChange(result: AfterResult, { output, is_error, context, stop }: AfterAnswer): AfterResult {
  return {
    ...result,
    ...(output === undefined ? {} : { output }),
    ...(is_error === undefined ? {} : { is_error }),
    ...(stop === undefined ? {} : { stop }),
    notes: context ? [...result.notes, context] : result.notes,
  }
}

/** The call has happened: a failing hook can only withhold its output. */
function addFault(result: AfterResult, hook: HookConfig, problem: string): AfterResult {
  const notes = [...result.notes, `The hook ${problem}.`]
  if (hook.on_failure === 'continue') return { ...result, notes }
  const output = `The call ran, but its output is withheld because the hook ${nameOf(hook)} failed.`
  return { output, is_error: true, notes }
}
