/** Events about the session as a whole: settings, tool notes and cancellation. */

import { takeNote } from './apply-branch.ts'
import { cancelCalls } from './apply-call.ts'
import { type EventReaders, TEXTS } from './event-shapes.ts'
import { addTo } from './fields.ts'
import { MAYBE_TEXT, maybe, NUMBER, TEXT } from './shape.ts'
import type { SessionView } from './view.ts'

export const SESSION_READERS: EventReaders<
  'session.created' | 'session.updated' | 'session.bound' | 'input.cancel' | 'note'
> = {
  'session.created': [
    {
      cwd: TEXT,
      model: TEXT,
      tools: TEXTS,
      permission_mode: TEXT,
      effort: MAYBE_TEXT,
      title: MAYBE_TEXT,
      forked_from: maybe({ session_id: TEXT, seq: NUMBER }),
    },
    (view, { model, permission_mode, cwd, tools, ts, title, forked_from, effort }) => ({
      ...view,
      info: addTo<SessionView['info']>(
        { model, permission_mode, cwd, tools, created_at: Date.parse(ts) },
        { title, forked_from, effort },
      ),
    }),
  ],
  'session.updated': [
    { title: MAYBE_TEXT, model: MAYBE_TEXT, permission_mode: MAYBE_TEXT, effort: MAYBE_TEXT },
    (view, { title, model, permission_mode, effort }) => ({
      ...view,
      info: addTo(view.info, { title, model, permission_mode, effort }),
    }),
  ],
  'session.bound': [
    { tools: TEXTS, provider_session_id: TEXT },
    (view, { tools, provider_session_id }) => ({
      ...view,
      info: { ...view.info, tools, provider_session_id },
    }),
  ],
  'input.cancel': [{ call_id: MAYBE_TEXT }, cancelCalls],
  note: [{ name: TEXT }, takeNote],
}
