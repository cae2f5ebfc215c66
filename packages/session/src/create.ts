/** New sessions. */
import type { EventOf } from '@toolwire/core'
import type { Draft } from './append.ts'

/** Creates an idle session, with its title and its labels. */
export function draftSession(session: string, created: EventOf<'session.created'>): Draft {
  const { title } = created
  const index = { ...(title ? { title } : {}), labels: sessionLabels(created) }
  return { writes: [{ session, create: true, events: [created], state: 'idle', index }], wakes: false }
}

/** The labels by which lists show a session without reading its log. */
export const sessionLabels = ({
  cwd,
  model,
  effort,
}: Pick<EventOf<'session.created'>, 'cwd' | 'model' | 'effort'>): Readonly<Record<string, string>> => ({
  workspace: cwd,
  model,
  ...(effort === undefined ? {} : { effort }),
})
