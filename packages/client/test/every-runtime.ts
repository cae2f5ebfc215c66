/**
 * A program that uses the client and no runtime-specific API: a conversation with a client tool, an approval, and
 * the final view. Its last line is JSON. Arguments: the server's address.
 */
import { createClient, type SessionSnapshot } from '@toolwire/client'

const baseUrl = globalThis.process.argv[2] ?? ''
// Connections may be cut again and again: waiting longer each time would prove nothing more.
const client = createClient({ baseUrl, retries: 50, backoff: { baseMs: 10, maxMs: 50 } })
const session = client.session((await client.sessions.create()).id)
const ended = (count: number) => (snapshot: SessionSnapshot) =>
  snapshot.view.turns.length === count && snapshot.view.turns.every(turn => turn.state === 'completed')

const inputs: unknown[] = []
session.registerTool('set_temperature', {
  description: 'Sets the temperature.',
  input_schema: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
  handler: input => inputs.push(input) && 'warm',
})
await session.send('set the temperature to 0.8')
await session.until(ended(1))
await session.send('/ask')
const asked = await session.until(({ view }) => view.pending.length === 1)
await client.approve(asked.view.pending[0]?.id ?? '')
const { view } = await session.until(ended(2))
let records = 0
for await (const _ of client.events(session.id, { follow: false })) records += 1
client.close()
const calls = [...view.calls.values()].map(call => call.state)
globalThis.process.stdout.write(`${JSON.stringify({ inputs, calls, whole: records === view.head })}\n`)
