/** Hooks of sessions and runs. Every answer is a fact before it has an effect, so no crash has a hook asked twice. */
import { createHash } from 'node:crypto'
import {
  cutMiddle,
  type HookEffect,
  type HookQuestion,
  type HookWork,
  isVendorWire,
  type LifecycleHooks,
  type SessionEvent,
  type ToolScope,
} from '@toolwire/core'
import { type HookLists, labelOf, matches } from './hook-config.ts'
import { ANSWERS, type EventBase, type HookEvent, type HookEventName, SUBJECTS } from './hook-event.ts'
import type { HookConfig } from './hook-types.ts'
import { runAside, runHook } from './run-hook.ts'

const MAX_TEXT = 10_000

export function createLifecycle(lists: HookLists): LifecycleHooks {
  const labels = toLabels(lists)
  const watching = (event: HookEvent): readonly HookConfig[] =>
    lists[event.event].filter(hook => matches(hook, subjectOf(event)))

  /** Undefined once the work is stopped. */
  async function askOne(
    hook: HookConfig,
    question: HookQuestion,
    { scope, voice }: HookWork,
  ): Promise<HookEffect | undefined> {
    const name = labels.get(hook) ?? ''
    const sha256 = digestOf(question)
    const known = scope
      .agent()
      .run?.hooks?.find(one => one.hook === name && one.event === question.event && one.sha256 === sha256)
    if (known) return known.effect
    const effect = await answerOf(hook, { ...baseOf(scope), ...question }, voice.signal)
    if (voice.signal.aborted) return undefined
    const allowed = isVendorWire(scope.session().run?.via?.protocol) ? withoutContext(effect) : effect
    const text = textOf(question.event, allowed)
    const events: SessionEvent[] = [
      {
        type: 'hook.answered',
        ...voice.stamp(),
        hook: name,
        event: question.event,
        sha256,
        effect: allowed,
        ...(text === undefined ? {} : { text }),
      },
    ]
    if (allowed.stop !== undefined)
      events.push({ type: 'input.cancel', ...voice.stamp(), reason: allowed.stop, by: 'hook' })
    await voice.commit(...events)
    return allowed
  }

  return {
    watches: event => lists[event].length > 0,
    async ask(question, work) {
      let effect: HookEffect = {}
      const event = { ...baseOf(work.scope), ...question }
      for (const hook of watching(event)) {
        if (hook.async) {
          runAside(hook, event, work.voice.signal)
          continue
        }
        const answer = await askOne(hook, question, work)
        if (!answer) return {}
        effect = combine(effect, answer)
        if (effect.stop !== undefined || isFinal(effect)) break
      }
      return effect
    },
    report(report, scope, signal) {
      const event = { ...baseOf(scope), ...report }
      for (const hook of watching(event)) runAside(hook, event, signal)
    },
  }
}

/** Names of hooks in the log, each another one: the answer of one hook is not taken for that of another. */
function toLabels(lists: HookLists): ReadonlyMap<HookConfig, string> {
  const labels = new Map<HookConfig, string>()
  for (const list of Object.values(lists)) {
    const used = new Map<string, number>()
    for (const hook of list) {
      const label = labelOf(hook)
      const count = (used.get(label) ?? 0) + 1
      used.set(label, count)
      labels.set(hook, count === 1 ? label : `${label} (${count})`)
    }
  }
  return labels
}

const digestOf = (question: HookQuestion): string =>
  createHash('sha256').update(JSON.stringify(question)).digest('hex')

function subjectOf(event: HookEvent): string {
  const field = SUBJECTS[event.event]
  if (field === undefined) return event.event === 'session_start' ? 'startup' : ''
  const value = (event as { readonly [Name in typeof field]?: string })[field]
  return value ?? ''
}

function baseOf(scope: ToolScope): EventBase {
  const session = scope.session()
  const { agent_run_id } = scope
  const agent = agent_run_id === undefined ? undefined : session.agents[agent_run_id]
  return {
    session_id: scope.session_id,
    ...(session.run === undefined ? {} : { run_id: session.run.run_id }),
    ...(agent_run_id === undefined ? {} : { agent_run_id }),
    ...(agent?.spec.agent_type === undefined ? {} : { agent_type: agent.spec.agent_type }),
    cwd: agent?.spec.cwd ?? session.created?.cwd ?? '/',
    permission_mode: session.permission_mode,
  }
}

type LifecycleAnswer = {
  readonly decision?: HookEffect['decision']
  readonly reason?: string
  readonly context?: string
  readonly answer?: unknown
  readonly stop?: string
}

async function answerOf(
  hook: HookConfig,
  event: EventBase & HookQuestion,
  signal: AbortSignal,
): Promise<HookEffect> {
  const outcome = await runHook(hook, event, ANSWERS[event.event], signal)
  if (!outcome.ok) return failureOf(hook, event.event, clean(outcome.problem))
  const { decision, reason, context, answer, stop } = outcome.answer as LifecycleAnswer
  return {
    ...(decision === undefined ? {} : { decision }),
    ...(reason ? { reason: clean(reason) } : {}),
    ...(context ? { context: clean(context) } : {}),
    ...(answer === undefined
      ? {}
      : { answer_text: typeof answer === 'string' ? answer : JSON.stringify(answer) }),
    ...(stop === undefined ? {} : { stop: clean(stop) || 'A hook stopped the run.' }),
  }
}

/** The words of a hook as they may be stored and shown. */
const clean = (text: string): string => cutMiddle(text.toWellFormed().replaceAll('\0', ''), MAX_TEXT)

function failureOf({ on_failure }: HookConfig, event: HookEventName, problem: string): HookEffect {
  if (on_failure === 'continue') return { problem }
  const decision = event === 'permission_request' ? 'deny' : 'block'
  return { problem, decision, reason: 'A hook failed, and nothing may continue without it.' }
}

/** A gateway adds no words, and a run that its client drives is not sent on. */
function withoutContext({ context: _, decision, ...rest }: HookEffect): HookEffect {
  return decision === undefined || decision === 'continue' ? rest : { ...rest, decision }
}

function combine(before: HookEffect, answer: HookEffect): HookEffect {
  const contexts = [before.context, answer.context].filter(text => text !== undefined)
  return { ...before, ...answer, ...(contexts.length > 0 ? { context: contexts.join('\n') } : {}) }
}

/** No later hook can change it. An allowance can still be denied. */
const isFinal = ({ decision, answer_text }: HookEffect): boolean =>
  (decision !== undefined && decision !== 'allow') || answer_text !== undefined

/** The words of an answer that the model gets as a message; others have their own place. */
function textOf(event: HookQuestion['event'], { decision, reason, context }: HookEffect): string | undefined {
  if (decision === 'continue') return `A hook of this server asks for more before you end: ${reason}`
  if (decision === 'block' || context === undefined || event === 'before_compact') return undefined
  return `A hook of this server adds:\n${context}`
}
