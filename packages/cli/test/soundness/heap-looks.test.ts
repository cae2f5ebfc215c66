/** A sample of a server gives its memory, in all of its threads. */
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { inFolder, launch } from '../launch.ts'
import { createHeapLooks } from './heap-looks.ts'

vi.setConfig({ testTimeout: 120_000 })

test('a sample adds up the heaps of the main thread and the storing thread, and their buffers', async () => {
  await inFolder(async dir => {
    const looks = createHeapLooks(join(dir, 'heap.txt'))
    const server = await launch(dir, ['--port', '0', '--data', join(dir, 'data')], looks.env)
    // Twice: the first one must not use up anything.
    for (let i = 0; i < 2; i++) {
      const look = await looks.look(server.child)
      expect(look.threads.count).toBe(1)
      for (const megabytes of [look.heapMb, look.buffersMb, look.threads.heapMb, look.threads.buffersMb])
        expect(megabytes).toBeGreaterThan(0)
      expect(look.residentMb).toBeGreaterThan(look.heapMb + look.threads.heapMb)
    }
    await server.stop()
  })
})
