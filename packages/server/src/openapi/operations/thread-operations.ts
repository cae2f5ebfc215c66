/** The thread protocol. */
import { ResponseBody, ResponseQuery, ThreadInputForm } from '@toolwire/wire'
import { z } from 'zod'
import { ReadQuery } from '../../thread/routes.ts'
import { either, empty, json, type Operation, stream } from '../operation.ts'
import { PreparedRun, Thread, ThreadAnswer } from '../shapes/answer-shapes.ts'
import { ThreadFrame } from '../shapes/stream-shapes.ts'

const tag = 'Thread protocol'
const known = ['session_not_found', 'session_deleted'] as const
const saying = [
  'bad_request',
  'unknown_model',
  'missing_key',
  'conflict',
  'payload_too_large',
  'shutting_down',
  ...known,
] as const

/** The request reads its input by a function; this says what that function takes. */
const Body = ResponseBody.extend({ input: ThreadInputForm.nullish(), message: ThreadInputForm.nullish() })

export const threadOperations: readonly Operation[] = [
  {
    method: 'POST',
    url: '/v4/response',
    id: 'respond',
    tag,
    summary: 'Say something in a thread, or answer what it waits for',
    description:
      '`stream`, or an Accept header of text/event-stream, chooses the stream. A run that fails is an HTTP error.',
    errors: 'thread',
    headers: ['Idempotency-Key'],
    body: Body.meta({ id: 'ThreadRequest' }),
    refuses: [
      ...saying,
      'unknown_call',
      'not_a_client_tool',
      'already_answered',
      'expired',
      'model_rate_limited',
      'model_overloaded',
      'model_unavailable',
      'model_timeout',
    ],
    answers: { 200: either(ThreadAnswer, ThreadFrame, 'The answer, whole or as a stream.') },
  },
  {
    method: 'GET',
    url: '/v4/response',
    id: 'respondToQuery',
    tag,
    summary: 'The same for an EventSource, which can only GET',
    errors: 'thread',
    headers: ['Last-Event-ID', 'Idempotency-Key'],
    query: ResponseQuery.extend({
      thread_id: z.string().optional(),
      input: z.string().optional(),
      message: z.string().optional(),
      model: z.string().optional(),
    }),
    refuses: [...saying, 'invalid_cursor', 'log_reset'],
    answers: {
      200: stream(ThreadFrame, 'The answer.'),
      204: empty('Nothing is left to read.'),
    },
  },
  {
    method: 'POST',
    url: '/v4/prepare',
    id: 'prepareRun',
    tag,
    summary: 'Leave a message that is sent when its answer is first read',
    errors: 'thread',
    headers: ['Idempotency-Key'],
    body: Body.meta({ id: 'ThreadRequest' }),
    refuses: saying,
    answers: { 200: json(PreparedRun, 'The token to read the answer with.') },
  },
  {
    method: 'GET',
    url: '/v4/response/:run_token',
    id: 'readPreparedRun',
    tag,
    summary: 'Send the prepared message and read its answer',
    description: 'The token is the credential: no key is needed.',
    errors: 'thread',
    open: true,
    query: ReadQuery,
    headers: ['Last-Event-ID'],
    refuses: [
      'bad_request',
      'invalid_cursor',
      'log_reset',
      'run_not_found',
      'already_running',
      'shutting_down',
    ],
    answers: {
      200: stream(ThreadFrame, 'The answer.'),
      204: empty('It has been read already.'),
    },
  },
  {
    method: 'GET',
    url: '/v4/threads/:id',
    id: 'getThread',
    tag,
    summary: 'Whether a thread waits, and for what',
    errors: 'thread',
    refuses: known,
    answers: { 200: json(Thread, 'The thread.') },
  },
  {
    method: 'GET',
    url: '/v4/threads/:id/events',
    id: 'streamThread',
    tag,
    summary: 'Read a thread, and follow it',
    errors: 'thread',
    query: ReadQuery,
    headers: ['Last-Event-ID'],
    refuses: ['bad_request', 'invalid_cursor', 'shutting_down', ...known],
    answers: {
      200: stream(ThreadFrame, 'Events from the cursor on.'),
      204: empty('Nothing is left to read.'),
    },
  },
]
