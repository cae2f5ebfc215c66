import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@toolwire/client'
import { startTestServer } from 'toolwire/testing'

test('a refund waits for an approval, and is done after it', async () => {
  await using server = await startTestServer({ tools: ['tools'] })
  const client = createClient({ baseUrl: server.url })
  const { id } = await client.sessions.create()
  await client.send(id, 'Refund order 7')
  let approvals = 0
  for await (const { ev } of client.events(id)) {
    if (ev.type === 'run.paused')
      for (const item of ev.pending) {
        approvals += 1
        await client.approve(item.id)
      }
    if (ev.type === 'run.failed') assert.fail(JSON.stringify(ev))
    if (ev.type !== 'run.completed') continue
    assert.match(JSON.stringify(ev), /paid back/)
    break
  }
  client.close()
  assert.equal(approvals, 1)
})
