/**
 * Preloaded into a server (`--import`), it tells on SIGUSR2 what is really in use: after a collection, as one line in
 * the file that HEAP_FILE names: bytes of the heap, bytes beside it, resident bytes.
 */
import { appendFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const file = process.env['HEAP_FILE']

if (isMainThread && file !== undefined) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  process.on('SIGUSR2', () => {
    // What waits for its finaliser goes with the second one.
    collect()
    collect()
    const { heapUsed, external, rss } = process.memoryUsage()
    appendFileSync(file, `${heapUsed} ${external} ${rss}\n`)
  })
}
