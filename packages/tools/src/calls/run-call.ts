/**
 * Runs one call: `tool.started` is committed before anything happens, progress passes through,
 * and exactly one terminal event comes back, whatever the tool does. It never throws for a tool.
 */
import type { CallQuestion, LifecycleHooks, Tool, ToolOutcome, ToolProblem, ToolStep } from '@toolwire/core'
import { reasonOf } from '@toolwire/core'
import { boundOutput, type OutputLimits, withoutEscapes } from '../bound-output.ts'
import { toCode } from '../files/inspect-path.ts'
import { OffloadError } from '../offload/offload-error.ts'
import { ChangedError } from '../safe-files/changed-error.ts'
import { type CallFailure, failure, interrupted, outputInvalid } from '../tool-failure.ts'
import { askDuring, type Expiry } from './approval.ts'
import type { CallWork } from './call-context.ts'
import { askWithHooks } from './hooked-question.ts'
import { awaitLateResult } from './late-result.ts'
import { loopNote } from './loop-guard.ts'
import { createOutputSpill, type OutputSpill } from './output-spill.ts'
import { type Terminal, toCompleted, toFailed } from './terminal.ts'

/** Time that an aborted tool has to report its partial output. */
const ABORT_GRACE_MS = 5_000
const MAX_PARTIAL = 8_000

export interface RunOptions {
  readonly limits: OutputLimits
  readonly expiry: Expiry
  /** Asked before a person is. */
  readonly lifecycle?: LifecycleHooks | undefined
  /** Reads the reason of an abort: a person, or the server going down. */
  readonly stoppedBy: () => string
  /** Time that a stopped tool has to report its output; 5 s if absent. */
  readonly abort_grace_ms?: number | undefined
}

/** The terminal event, not yet committed; undefined for a call that waits. Commits `tool.started` and questions itself. */
export async function runCall(
  tool: Tool,
  input: unknown,
  work: CallWork,
  options: RunOptions,
): Promise<Terminal | undefined> {
  const { call, voice, context } = work
  const started = performance.now()
  await voice.commit({
    type: 'tool.started',
    ...voice.stamp(),
    call_id: call.call_id,
    attempt: context.attempt,
  })
  await context.disk?.ready()
  const end = await drain(tool, input, work, options.abort_grace_ms)
  const duration_ms = Math.round(performance.now() - started)
  if (voice.signal.aborted)
    return toFailed(
      work,
      interrupted({
        by: options.stoppedBy(),
        seconds: duration_ms / 1000,
        partial: partialOf(end),
        outside: outsideOf(end),
        sideEffects: !tool.isReadOnly(input, context),
      }),
      duration_ms,
    )
  if (end.type === 'suspended') return await ask(end.question, work, options)
  if (end.type === 'problem') return toFailed(work, toFailure(end.problem), duration_ms)
  const shown = forAssistant(tool, end.outcome)
  // Built-in tools know whether their text is a file's, of which every byte counts.
  const said = tool.type === 'builtin' ? shown : await withoutEscapes(shown, context)
  const outcome = await boundOutput(said, context, options.limits)
  const wrong = outcome.is_error ? [] : (tool.checkOutput?.(outcome.structured) ?? [])
  if (wrong.length > 0) return toFailed(work, outputInvalid(tool.name, wrong, outcome), duration_ms)
  const output_text = outcome.output_text + (loopNote(tool, work, outcome.output_text) ?? '')
  return toCompleted(work, { ...outcome, output_text }, duration_ms)
}

/** The result with the text that the model is to read. */
export const forAssistant = (tool: Tool, outcome: ToolOutcome): ToolOutcome =>
  tool.renderResultForAssistant
    ? { ...outcome, output_text: tool.renderResultForAssistant(outcome.output_text) }
    : outcome

/** The call's notes are committed with its question: the next run finds both or neither. */
async function ask(
  question: CallQuestion | undefined,
  work: CallWork,
  { expiry, lifecycle }: RunOptions,
): Promise<undefined> {
  if (!question) return
  const asked = await askWithHooks(askDuring(question, work, expiry), work, lifecycle)
  // The next run of the call asks again.
  if (work.voice.signal.aborted) return
  const notes = work.notebook.take()
  await work.voice.commit(...notes, ...asked)
  work.notebook.committed(notes)
}

function partialOf(end: RunEnd): string {
  switch (end.type) {
    case 'outcome':
      return end.outcome.output_text
    case 'problem':
      return `${end.partial}${end.problem?.message ?? ''}`
    case 'suspended':
      return ''
  }
}

function outsideOf(end: RunEnd): string | undefined {
  if (end.type === 'suspended') return undefined
  return end.type === 'outcome' ? end.outcome.outside : end.problem?.outside
}

type RunEnd =
  | { readonly type: 'suspended'; readonly question?: CallQuestion }
  | { readonly type: 'outcome'; readonly outcome: ToolOutcome }
  | { readonly type: 'problem'; readonly problem: ToolProblem | undefined; readonly partial: string }

interface Limit {
  /** Aborted when the time is over or the call is stopped. */
  readonly signal: AbortSignal
  readonly isOver: () => boolean
  /** To be called when the tool has ended. */
  readonly end: () => void
}

/**
 * A separate signal for one call. Not `AbortSignal.any`: a joined signal with a leftover listener is retained,
 * with everything that the listener holds, until one of its sources is aborted.
 */
function startLimit(ms: number | undefined, outer: AbortSignal): Limit {
  const controller = new AbortController()
  let over = false
  const stop = (): void => controller.abort(outer.reason)
  const timer =
    ms === undefined
      ? undefined
      : setTimeout(() => {
          over = true
          controller.abort()
        }, ms)
  outer.addEventListener('abort', stop, { once: true })
  if (outer.aborted) stop()
  return {
    signal: controller.signal,
    isOver: () => over,
    end() {
      clearTimeout(timer)
      outer.removeEventListener('abort', stop)
    },
  }
}

/** Reads the tool's steps to its end, within its time. */
async function drain(tool: Tool, input: unknown, work: CallWork, grace_ms = ABORT_GRACE_MS): Promise<RunEnd> {
  const limit = startLimit(tool.timeout_ms, work.voice.signal)
  const { signal } = limit
  const spill = tool.keeps_output ? undefined : createOutputSpill(work.context)
  const said: PartialOutput = { partial: '', grace_ms, spill }
  let keep = true
  try {
    const end = await steps(tool.call(input, { ...work.context, signal }), signal, work, said)
    keep = end?.type !== 'outcome' || signal.aborted
    if (!limit.isOver()) return end ?? { type: 'problem', problem: undefined, partial: whole(said) }
  } catch (error) {
    if (!limit.isOver()) return { type: 'problem', problem: thrown(error), partial: whole(said) }
  } finally {
    limit.end()
    await spill?.end(keep)
  }
  return { type: 'problem', problem: timedOut(tool, whole(said)), partial: whole(said) }
}

/** Passes progress on until the end. A tool that ignores an abort is left behind after a grace period; what it says later is recorded. */
async function steps(
  source: AsyncIterable<ToolStep>,
  signal: AbortSignal,
  work: CallWork,
  said: PartialOutput,
): Promise<RunEnd | undefined> {
  const overdue = deadlineAfter(signal, said.grace_ms)
  const iterator = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const pending = iterator.next()
      const step = await Promise.race([pending, overdue.promise])
      if (step === undefined) void awaitLateResult(iterator, pending, work)
      if (step === undefined || step.done) return undefined
      const end = toEnd(step.value, said.partial)
      if (end) return end
      if (step.value.type === 'progress') await keepSaid(said, step.value.output_delta ?? '')
      await tell(step.value, work)
    }
  } finally {
    overdue.stop()
  }
}

/** The output of a call so far, and its time to stop. */
interface PartialOutput {
  /** The end of it. */
  partial: string
  readonly grace_ms: number
  readonly spill: OutputSpill | undefined
}

async function keepSaid(said: PartialOutput, text: string): Promise<void> {
  if (text === '') return
  said.partial = (said.partial + text).slice(-MAX_PARTIAL)
  await said.spill?.write(text)
}

/** The end of what was said, with where the whole of it is. */
const whole = ({ partial, spill }: PartialOutput): string => {
  const path = spill?.path()
  return partial.length < MAX_PARTIAL || path === undefined ? partial : `[Full output: ${path}]\n${partial}`
}

function toEnd(step: ToolStep, partial: string): RunEnd | undefined {
  switch (step.type) {
    case 'progress':
      return undefined
    case 'suspended':
      return step
    case 'result': {
      const { type: _, ...outcome } = step
      return { type: 'outcome', outcome }
    }
    case 'failure': {
      const { type: _, ...problem } = step
      return { type: 'problem', problem, partial }
    }
  }
}

async function tell(step: ToolStep, { voice, call }: CallWork): Promise<void> {
  if (step.type !== 'progress') return
  const { type: _, ...progress } = step
  await voice.emit({ type: 'tool.progress', ...voice.stamp(), call_id: call.call_id, ...progress })
}

/** Resolves a while after the abort. */
function deadlineAfter(
  signal: AbortSignal,
  ms: number,
): {
  readonly promise: Promise<undefined>
  readonly stop: () => void
} {
  let timer: NodeJS.Timeout | undefined
  let begin = (): void => {}
  const promise = new Promise<undefined>(resolve => {
    begin = () => {
      timer = setTimeout(() => resolve(undefined), ms)
    }
  })
  if (signal.aborted) begin()
  else signal.addEventListener('abort', begin, { once: true })
  return {
    promise,
    stop() {
      clearTimeout(timer)
      signal.removeEventListener('abort', begin)
    },
  }
}

function toFailure(problem: ToolProblem | undefined): CallFailure {
  if (!problem)
    return failure({ code: 'failed', layer: 'execution', message: 'The tool produced no result.' })
  const { code = 'failed', message, retryable = false, details, outside } = problem
  return failure({
    code,
    layer: code === 'precondition' ? 'validation' : 'execution',
    message,
    retryable,
    details,
    outside,
  })
}

function timedOut(tool: Tool, partial: string): ToolProblem {
  const said = partial === '' ? '' : `\nOutput until then:\n${partial}`
  return {
    code: 'timeout',
    message: `${tool.name} took longer than ${tool.timeout_ms} ms and was stopped.${said}`,
    retryable: true,
  }
}

/** Message, then stderr and stdout where the error has them; never a stack. */
function thrown(error: unknown): ToolProblem {
  if (error instanceof ChangedError)
    return { code: 'stale', message: `Nothing was done: ${error.message}. Send the call again.` }
  if (!(error instanceof Error)) return { message: reasonOf(error) }
  if (error instanceof OffloadError) return { code: error.code, message: error.message }
  const code = toCode((error as NodeJS.ErrnoException).code)
  if (code === 'disk_full' || code === 'quota_exceeded')
    return { code, message: `The result was not stored: ${error.message}.` }
  const { stderr, stdout } = error as { stderr?: unknown; stdout?: unknown }
  const parts = [error.message, stderr, stdout].filter(part => typeof part === 'string' && part !== '')
  return { message: parts.length > 0 ? parts.join('\n') : error.name }
}
