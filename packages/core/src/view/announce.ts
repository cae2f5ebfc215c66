/** Announcements for screen readers: starts, ends and questions, never the text in between. */

import { formatDuration } from './format.ts'
import { elapsedMs } from './select.ts'
import type { Translate } from './strings/translate.ts'
import { isThought } from './thought.ts'
import type { SessionView } from './view.ts'

export interface Announcement {
  readonly text: string
  /** The user has to act: interrupt. */
  readonly assertive: boolean
}

/** The boundaries between two views of one session, in the order in which they matter. */
export function announce(before: SessionView, after: SessionView, t: Translate): readonly Announcement[] {
  if (before === after) return []
  return [
    ...questions(before, after, t),
    ...beginnings(before, after, t),
    ...ends(before, after, t),
    ...answers(before, after, t),
  ]
}

const questions = (before: SessionView, after: SessionView, t: Translate): readonly Announcement[] =>
  after.pending
    .filter(item => !before.pending.some(known => known.id === item.id))
    .map(({ kind, name }) => ({ text: t(`announce.${kind}`, { name }), assertive: kind !== 'client_tool' }))

const beginnings = (before: SessionView, after: SessionView, t: Translate): readonly Announcement[] =>
  after.active.flatMap(id => {
    const call = after.calls.get(id)
    if (call?.state !== 'executing' || isThought(call) || before.calls.get(id)?.state === 'executing')
      return []
    return [{ text: t('announce.running', { name: call.name }), assertive: false }]
  })

const ends = (before: SessionView, after: SessionView, t: Translate): readonly Announcement[] =>
  before.active.flatMap(id => {
    const call = after.calls.get(id)
    if (!call || isThought(call) || after.active.includes(id)) return []
    const time = formatDuration(elapsedMs(call, call.since), t.locale)
    const key = call.state === 'success' ? 'announce.finished' : 'announce.ended'
    return [{ text: t(key, { name: call.name, time, state: t(`state.${call.state}`) }), assertive: false }]
  })

function answers(before: SessionView, after: SessionView, t: Translate): readonly Announcement[] {
  const turn = after.turns.at(-1)
  const was = before.turns.at(-1)
  if (!turn || !was || turn.id !== was.id || was.state !== 'running') return []
  if (turn.state === 'running' || turn.state === 'paused') return []
  return [{ text: t(`announce.turn_${turn.state}`), assertive: turn.state === 'failed' }]
}
