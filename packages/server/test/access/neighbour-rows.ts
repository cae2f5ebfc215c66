/** For every route: the requests that name something of another owner's, or the reason why none can. */
import { AGENT_ROWS } from './agent-rows.ts'
import { FILE_ROWS } from './file-rows.ts'

export interface Ids {
  readonly session: string
  readonly thread_no: number
  readonly approval: string
  readonly call: string
  /** The first message of the user, or one that waits behind the pause. */
  readonly message: string
}
export interface Probe {
  readonly path: string
  readonly body?: unknown
  /** What alpha's session waits for; a client's output by default. */
  readonly on?: 'ask' | 'queue'
}
/** `own` routes name no session: what they show is checked separately. */
export type Row = { readonly own: string } | ((ids: Ids) => readonly Probe[])

export const say = 'echo'
const WISH = { rule: 'Bash', decision: 'allow', scope: 'session' }
const RULE_OF = '/api/permissions/rule_1?session_id='
/** A request for something of the session, without a body. */
const inSession = (rest: string) => (ids: Ids) => [{ path: `/api/sessions/${ids.session}${rest}` }]
const inQueue = (body?: object) => (ids: Ids) =>
  inSession(`/queue/${ids.message}`)(ids).map(one => ({ ...one, body, on: 'queue' as const }))
export const ROWS: Readonly<Record<string, Row>> = {
  'HEAD /': { own: 'no data' },
  'GET /health': { own: 'no data' },
  'GET /healthz': { own: 'no data' },
  'GET /readyz': { own: 'no data' },
  'GET /api/tools': { own: 'settings' },
  'GET /api/models': { own: 'settings' },
  ...AGENT_ROWS,
  ...FILE_ROWS,
  'GET /api/skills': { own: 'files of a folder that the key may choose' },
  'GET /api/me': { own: 'the key itself' },
  'POST /api/tickets': ids => [
    { path: '/api/tickets', body: { session: ids.session, path: `/api/sessions/${ids.session}/events` } },
  ],
  'GET /api/audit': { own: 'entries of the owner' },
  'GET /api/settings': { own: 'settings' },
  'GET /openapi.json': { own: 'the same for everybody' },
  'GET /reference': { own: 'the same for everybody' },
  'GET /api/mcp': { own: 'settings' },
  'GET /api/mcp/callback': { own: 'the state of a sign-in is the credential' },
  'POST /api/tools/:name/try': { own: 'makes a session of the owner' },
  'GET /api/permissions': ids => [{ path: `/api/permissions?session_id=${ids.session}` }],
  'POST /api/permissions': ids => [{ path: `/api/permissions?session_id=${ids.session}`, body: WISH }],
  'PUT /api/permissions/:id': ids => [{ path: RULE_OF + ids.session, body: WISH }],
  'DELETE /api/permissions/:id': ids => [{ path: RULE_OF + ids.session }],
  'GET /api/pending': { own: 'listed apart' },
  'GET /api/sessions': { own: 'listed apart' },
  'POST /api/sessions': { own: 'makes one' },
  'GET /v1/models': { own: 'settings' },
  'GET /v1/models/*': { own: 'settings' },
  'POST /v1/messages/count_tokens': { own: 'stateless' },
  'GET /v4/response/:run_token': { own: 'the token is the credential' },
  'GET /api/sessions/:id': ids => [{ path: `/api/sessions/${ids.session}` }],
  'PATCH /api/sessions/:id': ids => [{ path: `/api/sessions/${ids.session}`, body: { title: 'mine' } }],
  'DELETE /api/sessions/:id': ids => [{ path: `/api/sessions/${ids.session}` }],
  'GET /api/sessions/:id/events': ids => [
    ...inSession('/events')(ids),
    ...inSession(`/events?after=${ids.session}.1.0`)(ids),
  ],
  'GET /api/sessions/:id/export': inSession('/export'),
  'GET /api/sessions/:id/messages': inSession('/messages'),
  'GET /api/sessions/:id/artifacts/:call': ids => inSession(`/artifacts/${ids.call}`)(ids),
  'POST /api/sessions/:id/tool_outputs': ids => [
    {
      path: `/api/sessions/${ids.session}/tool_outputs`,
      body: { tool_outputs: [{ tool_use_id: ids.call, output: 'stolen' }] },
    },
  ],
  'POST /api/sessions/:id/cancel': ids => [{ path: `/api/sessions/${ids.session}/cancel`, body: {} }],
  'POST /api/sessions/:id/calls/:call/cancel': ids => [
    { path: `/api/sessions/${ids.session}/calls/${ids.call}/cancel`, body: {} },
  ],
  'GET /api/sessions/:id/calls/:call/page': ids => inSession(`/calls/${ids.call}/page`)(ids),
  'GET /api/sessions/:id/calls/:call/page/resource': ids => [
    { path: `/api/sessions/${ids.session}/calls/${ids.call}/page/resource?uri=a` },
  ],
  'POST /api/sessions/:id/calls/:call/page/calls': ids => [
    { path: `/api/sessions/${ids.session}/calls/${ids.call}/page/calls`, body: { name: 'x' } },
  ],
  'POST /api/sessions/:id/messages': ids =>
    inSession('/messages')(ids).map(one => ({ ...one, body: { message: say } })),
  'GET /api/sessions/:id/queue': inSession('/queue'),
  'POST /api/sessions/:id/queue/resume': inSession('/queue/resume'),
  'PATCH /api/sessions/:id/queue/:message': inQueue({ position: 0 }),
  'DELETE /api/sessions/:id/queue/:message': inQueue(),
  'POST /api/sessions/:id/fork': ids => [{ path: `/api/sessions/${ids.session}/fork`, body: {} }],
  'POST /api/sessions/:id/regenerate': ids => [{ path: `/api/sessions/${ids.session}/regenerate`, body: {} }],
  'POST /api/sessions/:id/messages/:message/edit': ids => [
    { path: `/api/sessions/${ids.session}/messages/${ids.message}/edit`, body: { content: 'mine' } },
  ],
  'GET /api/sessions/:id/branches': inSession('/branches'),
  'POST /api/sessions/:id/branches/:branch/select': ids => [
    { path: `/api/sessions/${ids.session}/branches/main/select`, body: {} },
  ],
  'GET /api/sessions/:id/context': inSession('/context'),
  'POST /api/sessions/:id/context/refresh': inSession('/context/refresh'),
  'GET /api/me/instructions': { own: 'the owner alone' },
  'PUT /api/me/instructions': { own: 'the owner alone' },
  'GET /api/sessions/:id/changes': inSession('/changes'),
  'GET /api/sessions/:id/files': inSession('/files'),
  'GET /api/sessions/:id/files/content': inSession('/files/content?path=output.txt'),
  'POST /api/sessions/:id/undo': ids =>
    inSession('/undo')(ids).map(one => ({ ...one, body: { session: true } })),
  'POST /api/approvals/:id': ids => [
    { path: `/api/approvals/${ids.approval}`, body: { decision: 'approved' }, on: 'ask' },
  ],
  'POST /api/permissions/explain': ids => [
    { path: '/api/permissions/explain', body: { session_id: ids.session, tool: 'Bash', input: {} } },
    { path: '/api/permissions/explain', body: { session_id: ids.session, rule: 'Bash' } },
  ],
  'POST /api/chat/stream': ids => [
    { path: '/api/chat/stream', body: { session_id: ids.session, message: say } },
    {
      path: '/api/chat/stream',
      body: { session_id: ids.session, approvals: [{ approval_id: ids.approval, decision: 'approved' }] },
      on: 'ask',
    },
  ],
  'GET /api/chat/stream': ids => [{ path: `/api/chat/stream?session_id=${ids.session}` }],
  'POST /v4/response': ids => [
    { path: '/v4/response', body: { thread_id: ids.session, input: say } },
    { path: '/v4/response', body: { thread_id: ids.thread_no, input: say } },
    {
      path: '/v4/response',
      body: { thread_id: ids.session, tool_outputs: [{ call_id: ids.call, output: 'stolen' }] },
    },
    {
      path: '/v4/response',
      body: { thread_id: ids.session, tool_approvals: [{ call_id: ids.call, approved: true }] },
      on: 'ask',
    },
  ],
  'GET /v4/response': ids => [{ path: `/v4/response?thread_id=${ids.thread_no}&input=${say}` }],
  'POST /v4/prepare': ids => [{ path: '/v4/prepare', body: { thread_id: ids.session, input: say } }],
  'GET /v4/threads/:id': ids => [
    { path: `/v4/threads/${ids.session}` },
    { path: `/v4/threads/${ids.thread_no}` },
  ],
  'GET /v4/threads/:id/events': ids => [{ path: `/v4/threads/${ids.session}/events` }],
  ...Object.fromEntries(
    [
      ...['/api', '/api/ai/v5', '/api/ai/v6', '/api/ai/v7'].flatMap(base =>
        ['POST /chat', 'GET /chat/:id/stream', 'POST /chat/:id/stop', 'GET /chat/:id/messages'].map(route =>
          route.replace(' ', ` ${base}`),
        ),
      ),
      'POST /ag-ui',
      'POST /ag-ui/:agent',
      'POST /copilotkit',
      'POST /copilotkit/agent/:agent/run',
      'POST /copilotkit/agent/:agent/connect',
      'POST /copilotkit/agent/:agent/stop/:thread',
    ].map(route => [route, { own: 'ids are names of the owner: tested below' }]),
  ),
  'POST /copilotkit/agent/:agent/suggest': { own: 'stateless' },
  'GET /copilotkit/info': { own: 'settings' },
  'POST /v1/chat/completions': { own: 'sessions are matched within the owner: tested below' },
  'POST /v1/messages': { own: 'sessions are matched within the owner: tested below' },
  'POST /v1/responses': { own: 'responses are found within the owner: response-owners.test.ts' },
  'GET /v1/responses/:id': ids => [{ path: `/v1/responses/resp_${ids.session}_3` }],
  'POST /v1/responses/:id/cancel': ids => [{ path: `/v1/responses/resp_${ids.session}_3/cancel`, body: {} }],
  'DELETE /v1/responses/:id': ids => [{ path: `/v1/responses/resp_${ids.session}_3` }],
  'GET /v1/responses/:id/input_items': ids => [{ path: `/v1/responses/resp_${ids.session}_3/input_items` }],
  'POST /v1/responses/input_tokens': { own: 'stateless' },
  'POST /v1/responses/compact': { own: 'responses are found within the owner: response-owners.test.ts' },
  ...Object.fromEntries(
    'POST,GET /:id,POST /:id,DELETE /:id,GET /:id/items,POST /:id/items,GET /:id/items/:item'
      .split(',')
      .map(route => route.split(' '))
      .map(([method, rest = '']) => [
        `${method} /v1/conversations${rest}`,
        { own: 'response-owners.test.ts' },
      ]),
  ),
}
