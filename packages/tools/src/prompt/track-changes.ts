/** Facts of the environment that may change while a session lives, and the notices about it. Pure. */
import type { EventOf, SessionSkill, SessionState } from '@toolwire/core'
import { describeMode } from './environment.ts'

export const PLAN_TEXT =
  'In plan mode you only read, also through commands and agents. A wish to carry something out is planned, not done. End with a plan that leaves no decision open.'

/** Changes that one run reports: more would fill the history. */
const MAX_CHANGES = 20

type TrackedFacts = { readonly date: string; readonly permission_mode: string; readonly model: string }
type ContextChange = Pick<EventOf<'context.changed'>, 'key' | 'value' | 'text' | 'skills'>

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

/** The instruction files as they are now. */
export interface CurrentProject {
  readonly text: string
  readonly sha256: string
}

/** The skills as they are now. */
interface CurrentSkills extends CurrentProject {
  readonly skills: readonly SessionSkill[]
}

/** Each is absent where its files are not loaded. */
interface CurrentFiles {
  readonly project?: CurrentProject | undefined
  readonly skills?: CurrentSkills | undefined
}

/**
 * One change per fact that is another one than what the model knows; none for a session without a prompt, and none after
 * 20 changes in one run.
 */
export function contextChanges(
  session: SessionState,
  now: Date,
  { project, skills }: CurrentFiles = {},
): readonly ContextChange[] {
  const { context, created, run } = session
  if (!context) return []
  const room = MAX_CHANGES - (context.changes?.run_id === (run?.run_id ?? '') ? context.changes.count : 0)
  const facts = created?.context?.environment === 'auto' ? toFacts(session, now) : {}
  const files = {
    ...(project ? { project: project.sha256 } : {}),
    ...(skills ? { skills: skills.sha256 } : {}),
  }
  const changes = Object.entries({ ...facts, ...files }).flatMap(([key, value]): readonly ContextChange[] => {
    const before = context.facts[key]
    if (before === undefined || before === value) return []
    if (key === 'project') return [{ key, value, text: projectText(project) }]
    if (key !== 'skills') return [{ key, value, text: toText(key, before, value) }]
    return [{ key, value, text: skillsText(skills), skills: [...(skills?.skills ?? [])] }]
  })
  const reported = changes.slice(0, Math.max(0, room))
  return reported.map((change, at) =>
    at + 1 === room ? { ...change, text: `${change.text} ${FROZEN}` } : change,
  )
}

const FROZEN = 'Further changes of the environment are not reported in this run.'

const projectText = (project: CurrentProject | undefined): string =>
  project === undefined || project.text === ''
    ? 'The instruction files of the project are gone; those above no longer apply.'
    : `The instruction files of the project have changed. These replace those above.\n\n${project.text}`

const skillsText = (skills: CurrentSkills | undefined): string =>
  skills === undefined || skills.text === ''
    ? 'There are no skills any more.'
    : `The list of skills has changed. This one replaces the one above.\n\n${skills.text}`

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
