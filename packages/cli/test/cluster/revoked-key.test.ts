/** A key that is revoked by another process ends its streams on every node of the database. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { run } from '../launch.ts'
import { type Fleet, openFleet } from './fleet.ts'

// Servers start slowly on a busy machine.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 })

let fleet: Fleet
beforeEach(async () => {
  fleet = await openFleet()
})
afterEach(() => fleet.close())

test('streams on two nodes end when the command line revokes their key, and those of another key stay', async () => {
  const keys = (...args: readonly string[]) =>
    run(['keys', ...args], fleet.workspace, { DATABASE_URL: fleet.database.url })
  const create = async (): Promise<string> => (await keys('create', '--scopes', 'read,write')).stdout.trim()
  const [revoked, kept] = [await create(), await create()]
  const nodes = await Promise.all([fleet.start(), fleet.start()])
  const auth = (key: string) => ({ authorization: `Bearer ${key}` })
  const made = await fetch(`${nodes[0].url}/api/sessions`, { method: 'POST', headers: auth(revoked) })
  const { id } = (await made.json()) as { id: string }
  const open = (key: string) =>
    Promise.all(
      nodes.map(node => fetch(`${node.url}/api/sessions/${id}/events?follow=1`, { headers: auth(key) })),
    )
  const [ending, staying] = [await open(revoked), await open(kept)]
  expect([...ending, ...staying].map(response => response.status)).toEqual([200, 200, 200, 200])
  await keys('revoke', revoked.split('_')[1] ?? '')
  await Promise.all(ending.map(response => response.text().catch(() => 'cut')))

  await fetch(`${nodes[0].url}/api/sessions/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...auth(kept) },
    body: JSON.stringify({ title: 'still here' }),
  })
  for (const response of staying) {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk)
      if (text.includes('still here')) break
    }
    expect(text).toContain('still here')
  }
})
