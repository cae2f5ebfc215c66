/** The requests per minute of a key are one limit for all nodes of a database. */
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

test('three nodes let in 60 of 300 requests, and what the bucket gets meanwhile', async () => {
  const flags = ['keys', 'create', '--scopes', 'read', '--rpm', '60']
  const created = await run(flags, fleet.workspace, { DATABASE_URL: fleet.database.url })
  const headers = { authorization: `Bearer ${created.stdout.trim()}` }
  const nodes = await Promise.all([fleet.start(), fleet.start(), fleet.start()])
  const begun = performance.now()
  const responses = await Promise.all(
    Array.from({ length: 300 }, (_, i) => fetch(`${nodes[i % 3]?.url}/api/me`, { headers })),
  )
  const refilled = Math.ceil((performance.now() - begun) / 1000)
  const inside = responses.filter(({ status }) => status === 200).length
  expect(responses.every(({ status }) => status === 200 || status === 429)).toBe(true)
  expect(inside).toBeGreaterThanOrEqual(60)
  expect(inside).toBeLessThanOrEqual(60 + refilled + nodes.length)
  const refused = responses.find(({ status }) => status === 429)
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused?.headers.get('ratelimit-limit')).toBe('60')
})
