import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lowerEngineThreads } from '../src/engine-threads.ts'
import { inFolder, launch } from './launch.ts'

/** Niceness of the threads of a process, by name. */
function nicenessOf(pid: number): ReadonlyMap<string, readonly number[]> {
  const threads = readdirSync(`/proc/${pid}/task`).map(thread => {
    const line = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    // A name may hold spaces; what follows it does not.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    return { name: line.slice(line.indexOf('(') + 1, line.lastIndexOf(')')), nice: Number(fields[16]) }
  })
  return new Map(
    [...Map.groupBy(threads, ({ name }) => name)].map(([name, all]) => [name, all.map(({ nice }) => nice)]),
  )
}

test('on a full processor the event loop goes before the threads of engine and database', async () => {
  // Elsewhere threads have no priority of their own, and nothing is tried.
  if (process.platform !== 'linux') return expect(lowerEngineThreads).not.toThrow()
  await inFolder(async dir => {
    const server = await launch(dir)
    try {
      const niceness = nicenessOf(server.child.pid ?? 0)
      const [own = 0] = niceness.get('MainThread') ?? []
      expect(niceness.get('toolwire-store')).toEqual([Math.min(19, own + 5)])
      expect(new Set(niceness.get('V8Worker'))).toEqual(new Set([Math.min(19, own + 15)]))
    } finally {
      await server.stop()
    }
  })
})
