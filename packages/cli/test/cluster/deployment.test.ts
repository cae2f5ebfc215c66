/** Two servers behind a real nginx with the settings of the example; only where nginx is installed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Launched } from '../launch.ts'
import { ask, type Fleet, isType, newSession, openFleet, readLog, say, until, watch } from './fleet.ts'
import { findNginx, type Nginx, startNginx, toTestConfig } from './nginx.ts'

// Servers start slowly on a busy machine.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 })

test('the example changes in nothing but addresses and file names when it is tried here', () => {
  const example = readFileSync(join(import.meta.dirname, '../../../../deploy/nginx.conf'), 'utf8')
  const config = toTestConfig(example, '/x', { own: 1, servers: [2, 3] })
  const kept = example.split('\n').filter(line => !/server toolwire|listen 8080/.test(line))
  for (const line of kept) expect(config).toContain(line)
  expect(config).toContain('server 127.0.0.1:2 max_fails')
  expect(config).toContain('server 127.0.0.1:3 max_fails')
})

const program = findNginx()
if (program !== undefined) {
  let fleet: Fleet
  let nodes: readonly [Launched, Launched]
  let nginx: Nginx
  /** What clients see: one address. */
  let front: Launched
  beforeAll(async () => {
    fleet = await openFleet()
    const start = () => fleet.start({ TOOLWIRE_DEMO_PACE_MS: '5', TOOLWIRE_DRAIN_MS: '60000' })
    nodes = await Promise.all([start(), start()])
    nginx = await startNginx(
      program,
      nodes.map(node => Number(new URL(node.url).port)),
    )
    front = { ...nodes[0], url: nginx.url }
  })
  afterAll(async () => {
    await nginx.close()
    await fleet.close()
  })

  test('an answer streams through the balancer as it is written', async () => {
    const session = await newSession(front)
    let atFirstDelta: ReturnType<typeof readLog> | undefined
    const watched = watch(front, session, frame => {
      if (isType('block.delta')(frame)) atFirstDelta ??= readLog(fleet, session)
      return isType('run.completed')(frame)
    })
    say(front, session, '/long 300')
    const frames = await watched
    // Nothing was held back: at the first delta that a client saw, the answer was still being written.
    expect((await atFirstDelta)?.some(rec => rec.ev.type === 'run.completed')).toBe(false)
    const log = await readLog(fleet, session)
    expect(frames.map(frame => frame.data['seq'])).toEqual(log.map(rec => rec.seq))
  })

  test('a server that goes in mid-answer costs its clients a reconnection, and no request fails', async () => {
    const session = await newSession(front)
    let cursor: string | undefined
    const seen: number[] = []
    const follow = async (end: string): Promise<void> => {
      for (let last = ''; last !== end; ) {
        const from = cursor === undefined ? {} : { after: cursor }
        for (const frame of await watch(front, session, isType(end), from)) {
          cursor = frame.id
          last = frame.data.type
          seen.push(Number(frame.data['seq']))
        }
      }
    }
    const followed = follow('run.completed')
    say(front, session, '/long 600')
    await until(() => seen.length > 20)
    const stopping = nodes[0].stop('SIGTERM')
    const statuses: number[] = []
    for (let i = 0; i < 20; i++) statuses.push((await ask(front, '/api/sessions', {})).status)
    await stopping
    for (let i = 0; i < 20; i++) statuses.push((await ask(front, '/api/sessions', {})).status)
    expect(new Set(statuses)).toEqual(new Set([201]))
    await followed
    const log = await readLog(fleet, session)
    expect(seen).toEqual(log.map(rec => rec.seq))
  })
}
