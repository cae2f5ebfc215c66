/** The same conversation with a client of @hey-api/openapi-ts, whose streams are read event by event. */
import { client } from './hey-api/client.gen.js'
import { answerApproval, chat, createSession, getSession, listPending } from './hey-api/sdk.gen.js'

client.setConfig({ baseUrl: process.argv[2] ?? 'http://127.0.0.1:8000' })

const { data: session } = await createSession({ body: {} })
if (!session) throw new Error('no session')
// One attempt: its repetition would send the message again.
const { stream } = await chat({
  body: { session_id: session.id, message: '/ask' },
  headers: { 'Idempotency-Key': crypto.randomUUID() },
  sseMaxRetryAttempts: 1,
})
const types: unknown[] = []
for await (const event of stream) types.push((event as { readonly type?: unknown }).type)
if (types.at(-1) !== 'done' || !types.includes('paused')) throw new Error(`not paused: ${types}`)

const { data: waiting } = await listPending()
const approval = waiting?.pending.find(item => item.session_id === session.id)
if (!approval) throw new Error('nothing waits')
const { data: decided } = await answerApproval({ path: { id: approval.id }, body: { decision: 'approved' } })
if (decided?.decision !== 'approved') throw new Error('not approved')

const { error } = await getSession({ path: { id: 'no-such-session' } })
if (error?.error.code !== 'session_not_found') throw new Error('not refused')
console.log('answered, approved, refused')
