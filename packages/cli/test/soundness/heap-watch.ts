/**
 * Preloaded into a server (`--import`), it tells on SIGUSR2 what the heap holds that is really in use: after a
 * collection, as one line in the file that HEAP_FILE names. Each line ends with a number that counts them.
 */
import { appendFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const file = process.env['HEAP_FILE']

if (isMainThread && file !== undefined) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  let count = 0
  process.on('SIGUSR2', () => {
    // What waits for its finaliser goes with the second one.
    collect()
    collect()
    appendFileSync(file, `${process.memoryUsage().heapUsed} ${++count}\n`)
  })
}
