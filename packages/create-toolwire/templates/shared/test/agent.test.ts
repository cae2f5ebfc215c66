import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

// The demo model and an empty store, whatever the machine is set to.
process.env.AGENT_MODEL = 'demo'
process.env.AGENT_DATA = await mkdtemp(join(tmpdir(), 'agent-'))
const { toolwire } = await import('../agent.ts')

after(async () => {
  await toolwire.close()
  await rm(process.env.AGENT_DATA ?? '', { recursive: true, force: true })
})

test('a refund waits for an approval, and is done after it', async () => {
  const ann = toolwire.as({ owner: 'ann' })
  const { id } = await ann.sessions.create()
  await ann.send(id, 'Refund order 7')
  let approvals = 0
  for await (const { ev } of ann.events(id)) {
    if (ev.type === 'run.paused')
      for (const item of ev.pending) {
        approvals += 1
        await ann.approve(item.id)
      }
    if (ev.type === 'run.failed') assert.fail(JSON.stringify(ev))
    if (ev.type !== 'run.completed') continue
    assert.match(JSON.stringify(ev), /paid back/)
    break
  }
  assert.equal(approvals, 1)
})
