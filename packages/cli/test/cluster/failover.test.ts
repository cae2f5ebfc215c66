/**
 * The primary dies and a standby that lacks events replaces it under the same address, while servers and clients
 * continue.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@toolwire/client'
import { expect, test, vi } from 'vitest'
import { type Cluster, createCluster } from '../../../store/test/postgres/cluster.ts'
import { queryOn } from '../../../store/test/postgres/query-on.ts'
import { createTestDatabase } from '../../../store/test/postgres/test-database.ts'
import { inFolder, launch } from '../launch.ts'
import { startDroppingProxy } from './dropping-proxy.ts'
import { newSession, until } from './fleet.ts'

// Three database servers and a server start one after another.
vi.setConfig({ testTimeout: 400_000 })

const folder = (): string => mkdtempSync(join(tmpdir(), 'toolwire-failover-'))

test('clients of a failover that lost events receive log.reset, show what is left and continue', async () => {
  const primary = await createCluster({ dir: folder() })
  await primary.start()
  const proxy = await startDroppingProxy(primary.port)
  let standby: Cluster | undefined
  try {
    const database = await createTestDatabase(`${primary.url}/postgres`)
    const name = new URL(database.url).pathname.slice(1)
    standby = await primary.makeStandby(folder())
    const after = standby
    await inFolder(async dir => {
      const url = `postgres://postgres@127.0.0.1:${proxy.port}/${name}`
      const server = await launch(dir, ['--port', '0', '--database', url])
      const client = createClient({
        baseUrl: server.url,
        frameMs: 1,
        backoff: { baseMs: 20, maxMs: 200 },
        retries: 100,
      })
      const live = client.session(await newSession(server))
      const release = live.open()
      const ended = (count: number) =>
        live.until(
          ({ view }) => view.turns.length === count && view.turns.every(turn => turn.state === 'completed'),
        )
      await live.send('the first thing')
      const { view: first } = await ended(1)

      await after.start()
      const replicated = async (): Promise<unknown> =>
        (await queryOn(after, name, 'select max(head) as head from toolwire.session').catch(() => []))[0]?.[
          'head'
        ]
      await until(async () => Number(await replicated()) >= first.head)
      await after.stop()
      await live.send('the second thing, which is lost')
      await ended(2)

      await primary.kill()
      await after.start()
      await queryOn(after, name, 'select pg_promote()')
      proxy.redirect(after.port)
      const { view: left } = await ended(1)
      expect(JSON.stringify([...left.blocks.values()])).not.toContain('which is lost')
      await live.send('another second thing')
      await ended(2)
      release()
      client.close()
      await server.stop()
    })
  } finally {
    proxy.close()
    await standby?.remove()
    await primary.remove()
  }
})
