import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCluster } from './cluster.ts'
import { createTestDatabase } from './test-database.ts'

test('starts on another port when its own was taken since it was found free', async () => {
  const cluster = await createCluster({ dir: mkdtempSync(join(tmpdir(), 'toolwire-pg-')) })
  const taken = cluster.port
  const other = createServer(socket => socket.destroy())
  await new Promise<void>(resolve => other.listen(taken, '127.0.0.1', resolve))
  try {
    await cluster.start()
    expect(cluster.port).not.toBe(taken)
    const database = await createTestDatabase(`${cluster.url}/postgres`)
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
  } finally {
    await cluster.remove()
    await new Promise(resolve => other.close(resolve))
  }
})
