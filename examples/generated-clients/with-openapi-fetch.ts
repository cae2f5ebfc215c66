/** A conversation with types of openapi-typescript: a message, an approval, and a refusal. */
import createClient from 'openapi-fetch'
import type { paths } from './openapi-types.js'

const client = createClient<paths>({ baseUrl: process.argv[2] ?? 'http://127.0.0.1:8000' })

const { data: session } = await client.POST('/api/sessions', { body: {} })
if (!session) throw new Error('no session')
const key = { 'Idempotency-Key': crypto.randomUUID() }
const { data: stream } = await client.POST('/api/chat/stream', {
  body: { session_id: session.id, message: '/ask' },
  params: { header: key },
  parseAs: 'text',
})
if (!stream?.includes('"type":"paused"')) throw new Error(`not paused: ${stream}`)

const { data: waiting } = await client.GET('/api/pending')
const approval = waiting?.pending.find(item => item.session_id === session.id)
if (!approval) throw new Error('nothing waits')
const { data: decided } = await client.POST('/api/approvals/{id}', {
  params: { path: { id: approval.id } },
  body: { decision: 'approved' },
})
if (decided?.decision !== 'approved') throw new Error('not approved')

const { error } = await client.GET('/api/sessions/{id}', { params: { path: { id: 'no-such-session' } } })
if (error?.error.code !== 'session_not_found') throw new Error('not refused')
console.log('answered, approved, refused')
