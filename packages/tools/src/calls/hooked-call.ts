/**
 * Hooks around one call. What they said before it is kept in the log, so that a pause or a crash
 * in between does not ask them again, and a changed input stays changed.
 */
import type { Tool } from '@toolwire/core'
import { cutMiddle } from '@toolwire/core'
import { boundOutput, type OutputLimits } from '../bound-output.ts'
import { adoptChange } from '../files/adopt-change.ts'
import type { BeforeResult, Hooks } from '../hooks/hooks.ts'
import { basisOf, type Verdict } from '../permissions/verdict.ts'
import { type CallFailure, invalidInput } from '../tool-failure.ts'
import type { CallWork } from './call-context.ts'
import type { Terminal } from './terminal.ts'

const HOOK_NOTE = 'hook:'
const MAX_NOTE = 10_000

interface StoredHookResult extends BeforeResult {
  /** The arguments that the hooks were asked about. */
  readonly text: string
}

export type HookResult =
  | { readonly type: 'go'; readonly input: unknown; readonly said?: BeforeResult }
  | { readonly type: 'failed'; readonly failure: CallFailure }

/** Asks the hooks, once per call and arguments. A changed input is checked like the model's own. */
export async function askHooks(
  tool: Tool,
  input: unknown,
  work: CallWork,
  hooks: Hooks | undefined,
): Promise<HookResult> {
  if (!hooks?.watches(tool.name)) return { type: 'go', input }
  const text = work.call.approval?.edited_input_text ?? work.call.input_text
  const said = keptFor(work, text) ?? (await ask(tool, input, work, { hooks, text }))
  if (said.input === undefined) return { type: 'go', input, said }
  const checked = tool.check(said.input)
  if (checked.ok) return { type: 'go', input: checked.input, said }
  const failure = invalidInput(tool.name, [
    'A hook changed the arguments to something invalid:',
    ...checked.problems,
  ])
  return { type: 'failed', failure }
}

function keptFor({ context }: CallWork, text: string): StoredHookResult | undefined {
  const kept = context.notes.get(HOOK_NOTE + context.call_id) as StoredHookResult | undefined
  return kept?.text === text ? kept : undefined
}

async function ask(
  tool: Tool,
  input: unknown,
  work: CallWork,
  { hooks, text }: { readonly hooks: Hooks; readonly text: string },
): Promise<BeforeResult> {
  const { context } = work
  const said = await hooks.before({ event: 'before_tool', ...about(tool, input, work) }, context.signal)
  // An abort interrupted the hooks, so their output is void: the next run of the call asks them again.
  if (context.signal.aborted) return { notes: [] }
  await context.notes.save(HOOK_NOTE + context.call_id, { ...said, text })
  if (said.stop !== undefined) await stopRun(said.stop, work)
  return said
}

const stopRun = async (reason: string, { voice }: CallWork): Promise<void> =>
  await voice.commit({ type: 'input.cancel', ...voice.stamp(), reason, by: 'hook' })

const about = (tool: Tool, input: unknown, { context, scope }: CallWork) => ({
  session_id: context.session_id,
  call_id: context.call_id,
  ...(context.agent_run_id === undefined ? {} : { agent_run_id: context.agent_run_id }),
  ...(scope.session().run === undefined ? {} : { run_id: scope.session().run?.run_id ?? '' }),
  tool: tool.name,
  input,
  cwd: context.cwd,
  permission_mode: scope.session().permission_mode,
})

/**
 * The policy's verdict combined with the hooks' decision. They may deny and ask; they allow only where no rule
 * decides.
 */
export function applyHookDecision(verdict: Verdict, said: BeforeResult | undefined): Verdict {
  const reason = said?.reason ?? ''
  const basis = basisOf(verdict)
  if (said?.decision === 'deny') return { decision: 'deny', code: 'denied_hook', reason, ...basis }
  if (verdict.decision === 'deny' || said?.decision === undefined) return verdict
  if (said.decision === 'ask') return { ...verdict, decision: 'ask', reason }
  return verdict.decision === 'ask' && verdict.rule === undefined
    ? { decision: 'allow', reason, ...basis }
    : verdict
}

/** The terminal event as the hooks after the call leave it, with everything hooks had to say to the model. */
export async function afterHooks(
  { tool, input, said }: { readonly tool: Tool; readonly input: unknown; readonly said?: BeforeResult },
  terminal: Terminal,
  work: CallWork,
  { hooks, limits }: { readonly hooks: Hooks | undefined; readonly limits: OutputLimits },
): Promise<Terminal> {
  if (!hooks?.watches(tool.name) || work.voice.signal.aborted) return terminal
  const { output_text } = terminal
  const is_error = terminal.type === 'tool.failed' || terminal.is_error
  const event = { event: 'after_tool', ...about(tool, input, work), output_text, is_error } as const
  const result = await hooks.after(event, work.voice.signal)
  if (result.stop !== undefined) await stopRun(result.stop, work)
  const adopted = await adoptChange(work.context)
  const changed =
    said?.input === undefined ? [] : [`A hook changed the arguments to ${JSON.stringify(said.input)}.`]
  const notes = [
    ...changed,
    ...(said?.notes ?? []),
    ...result.notes,
    ...(adopted === undefined ? [] : [adopted]),
  ]
    .map(note => `\n[${cutMiddle(note, MAX_NOTE)}]`)
    .join('')
  if (terminal.type === 'tool.failed')
    return { ...terminal, output_text: (result.output ?? output_text) + notes }
  const replaced =
    result.output === undefined
      ? terminal
      : await boundOutput({ output_text: result.output }, work.context, limits)
  return {
    ...terminal,
    output_text: replaced.output_text + notes,
    is_error: result.is_error ?? terminal.is_error,
    // Replaced output must not reach the model or a page by another way.
    ...(result.output === undefined ? {} : { content: [], structured: undefined, view: undefined }),
  }
}
