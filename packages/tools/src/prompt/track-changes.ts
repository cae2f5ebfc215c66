/** Facts of the environment that may change while a session lives, and the notices about it. Pure. */
import type { EventOf, SessionState } from '@toolwire/core'
import { describeMode } from './environment.ts'

export const PLAN_TEXT =
  'In plan mode you only read, also through commands and agents. A wish to carry something out is planned, not done. End with a plan that leaves no decision open.'

type TrackedFacts = { readonly date: string; readonly permission_mode: string; readonly model: string }

export function toFacts(
  session: Pick<SessionState, 'permission_mode' | 'model' | 'run'>,
  now: Date,
): TrackedFacts {
  return {
    date: dateOf(now),
    permission_mode: session.permission_mode,
    model: session.run?.model ?? session.model,
  }
}

/** One change per fact that is another one than what the model knows; none for a session without a prompt. */
export function contextChanges(
  session: SessionState,
  now: Date,
): readonly Pick<EventOf<'context.changed'>, 'key' | 'value' | 'text'>[] {
  const { context, created } = session
  if (!context || created?.context?.environment !== 'auto') return []
  return Object.entries(toFacts(session, now)).flatMap(([key, value]) => {
    const before = context.facts[key]
    return before === undefined || before === value ? [] : [{ key, value, text: toText(key, before, value) }]
  })
}

function toText(key: string, before: string, value: string): string {
  if (key === 'date') return `The date is now ${value}; it replaces ${before}.`
  if (key === 'model') return `The model is now ${value}; it replaces ${before}.`
  const end = before === 'plan' ? ' Plan mode has ended.' : ''
  const plan = value === 'plan' ? ` ${PLAN_TEXT}` : ''
  return `The permission mode is now ${describeMode(value)}; it replaces ${before}.${end}${plan}`
}

let formatter: Intl.DateTimeFormat | undefined

/** The day in the server's zone, with the zone. */
function dateOf(now: Date): string {
  // Every run asks, and making one takes a quarter of a millisecond.
  formatter ??= new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit' })
  return `${formatter.format(now)} (${formatter.resolvedOptions().timeZone})`
}
