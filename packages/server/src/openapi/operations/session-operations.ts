/** Sessions: making, finding, changing, copying and reading them. */
import { z } from 'zod'
import { CancelBody } from '../../routes/answers.ts'
import { CancelBody as CancelCallBody } from '../../routes/calls.ts'
import { EventsQuery } from '../../routes/events.ts'
import { FileQuery, FolderQuery } from '../../routes/files.ts'
import { ForkBody } from '../../routes/fork.ts'
import { CreateBody, ListQuery, PatchBody } from '../../routes/sessions.ts'
import { ChangesQuery, UndoBody } from '../../routes/undo.ts'
import { empty, json, type Operation, raw, stream } from '../operation.ts'
import { SessionContextView } from '../shapes/context-shapes.ts'
import { Session, SessionExport, SessionMessages, SessionPage } from '../shapes/session-shapes.ts'
import { AnyFrame } from '../shapes/stream-shapes.ts'
import { CancelledCall, Undone, WorkspaceFolder } from '../shapes/tool-shapes.ts'

const tag = 'Sessions'
const known = ['session_not_found', 'session_deleted'] as const

const Cancelled = z
  .object({ session_id: z.string(), cancelled: z.boolean() })
  .meta({ id: 'CancelledSession' })

export const sessionOperations: readonly Operation[] = [
  {
    method: 'POST',
    url: '/api/sessions',
    id: 'createSession',
    tag,
    summary: 'Make a session',
    headers: ['Idempotency-Key'],
    body: CreateBody.meta({ id: 'CreateSession' }),
    isBodyOptional: true,
    refuses: ['bad_request', 'unknown_model', 'missing_key', 'conflict', 'session_exists', 'session_deleted'],
    answers: { 201: json(Session, 'The session.') },
  },
  {
    method: 'GET',
    url: '/api/sessions',
    id: 'listSessions',
    tag,
    summary: 'List sessions, the last updated first',
    query: ListQuery,
    refuses: ['bad_request', 'invalid_cursor'],
    answers: {
      200: json(SessionPage, 'One page; it may be shorter than asked for and still have a next one.'),
    },
  },
  {
    method: 'GET',
    url: '/api/sessions/:id',
    id: 'getSession',
    tag,
    summary: 'Show a session',
    refuses: known,
    answers: { 200: json(Session, 'The session, exact at this moment.') },
  },
  {
    method: 'PATCH',
    url: '/api/sessions/:id',
    id: 'updateSession',
    tag,
    summary: 'Change the title, the model or the permission mode',
    body: PatchBody.meta({ id: 'UpdateSession' }),
    refuses: ['bad_request', 'unknown_model', 'missing_key', ...known],
    answers: { 200: json(Session, 'The session after the change.') },
  },
  {
    method: 'DELETE',
    url: '/api/sessions/:id',
    id: 'deleteSession',
    tag,
    summary: 'Delete a session',
    refuses: known,
    answers: { 204: empty('It is gone.') },
  },
  {
    method: 'POST',
    url: '/api/sessions/:id/fork',
    id: 'forkSession',
    tag,
    summary: 'Copy a session up to a point',
    description: 'What was under way at that point is closed in the copy.',
    body: ForkBody.meta({ id: 'ForkSession' }),
    isBodyOptional: true,
    refuses: ['bad_request', 'invalid_cursor', ...known],
    answers: { 201: json(Session, 'The copy.') },
  },
  {
    method: 'POST',
    url: '/api/sessions/:id/cancel',
    id: 'cancelSession',
    tag,
    summary: 'End what runs or waits',
    body: CancelBody.meta({ id: 'Cancel' }),
    isBodyOptional: true,
    refuses: ['bad_request', ...known],
    answers: { 200: json(Cancelled, '`cancelled` is false when there was nothing to end.') },
  },
  {
    method: 'GET',
    url: '/api/sessions/:id/events',
    id: 'streamEvents',
    tag,
    summary: 'Read a session through any wire, and follow it',
    query: EventsQuery,
    headers: ['Last-Event-ID'],
    refuses: ['bad_request', 'invalid_cursor', 'log_reset', ...known],
    answers: {
      200: stream(AnyFrame, 'Events of the chosen wire, from the cursor on.'),
      204: empty('Nothing is left to read.'),
    },
  },
  {
    method: 'GET',
    url: '/api/sessions/:id/messages',
    id: 'listMessages',
    tag,
    summary: 'The conversation as a model sees it',
    refuses: known,
    answers: { 200: json(SessionMessages, 'All messages.') },
  },
  {
    method: 'GET',
    url: '/api/sessions/:id/export',
    id: 'exportSession',
    tag,
    summary: 'The whole log of a session',
    refuses: known,
    answers: { 200: json(SessionExport, 'Every event up to now.') },
  },
  {
    method: 'GET',
    url: '/api/sessions/:id/context',
    id: 'getSessionContext',
    tag,
    summary: "The prompt that the session's models get",
    description:
      'Parts in the order in which they are sent. Tokens are an estimate: a quarter of the characters.',
    refuses: known,
    answers: { 200: json(SessionContextView, 'Empty before the first request of the session.') },
  },
  {
    method: 'GET',
    url: '/api/sessions/:id/changes',
    id: 'listChanges',
    tag,
    summary: "Files that the session's tools have changed",
    description:
      'What an undo of a call, a turn or the whole session would do to each file. Changes nothing.',
    query: ChangesQuery,
    refuses: ['bad_request', 'unknown_call', 'not_found', ...known],
    answers: { 200: json(Undone, 'Each diff leads from the content now to the content before.') },
  },
  {
    method: 'GET',
    url: '/api/sessions/:id/files',
    id: 'listFiles',
    tag,
    summary: 'A folder of the workspace',
    description: 'The rules of LS and Read apply: what they would deny or ask about is refused or marked.',
    query: FolderQuery,
    refuses: ['bad_request', 'forbidden', 'not_found', ...known],
    answers: { 200: json(WorkspaceFolder, 'One page of at most 500 entries.') },
  },
  {
    method: 'GET',
    url: '/api/sessions/:id/files/content',
    id: 'getFile',
    tag,
    summary: 'The content of a file of the workspace',
    description: 'A file that Read would deny or ask about is refused. Links are not followed.',
    query: FileQuery,
    headers: ['Range'],
    refuses: ['bad_request', 'forbidden', 'not_found', ...known],
    answers: {
      200: raw('text/plain', 'All of it, as a download.'),
      206: raw('text/plain', 'The requested range.'),
      416: empty('There is no such range.'),
    },
  },
  {
    method: 'POST',
    url: '/api/sessions/:id/undo',
    id: 'undo',
    tag,
    summary: "Take back what the session's tools wrote to files",
    description:
      'Exactly one of `call`, `turn` and `session` is required. `paths` limits it to some of their files.',
    body: UndoBody.meta({ id: 'UndoRequest' }),
    refuses: ['bad_request', 'unknown_call', 'conflict', 'not_found', ...known],
    answers: { 200: json(Undone, 'What became, or would become, of each file.') },
  },
  {
    method: 'POST',
    url: '/api/sessions/:id/calls/:call/cancel',
    id: 'cancelCall',
    tag,
    summary: 'Stop one call; its siblings go on',
    body: CancelCallBody.meta({ id: 'Cancel' }),
    isBodyOptional: true,
    refuses: ['bad_request', 'call_not_found', ...known],
    answers: { 200: json(CancelledCall, '`cancelled` is false when the call had ended before.') },
  },
  {
    method: 'GET',
    url: '/api/sessions/:id/artifacts/:call',
    id: 'getArtifact',
    tag,
    summary: 'The whole output of a call whose message holds only a part',
    headers: ['Range'],
    refuses: ['not_found', ...known],
    answers: {
      200: raw('text/plain', 'All of it.'),
      206: raw('text/plain', 'The part that was asked for.'),
      416: empty('There is no such part.'),
    },
  },
]
