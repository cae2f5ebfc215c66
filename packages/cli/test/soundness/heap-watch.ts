/**
 * Preloaded into a server (`--import`), it reports the memory in use on SIGUSR2: after a collection, as one line
 * in the file that HEAP_FILE names. Bytes of the main thread's heap, external and resident, then of all other
 * threads' heaps and externals, and the number of threads.
 */
import { appendFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

type Said =
  | { readonly type: 'here' | 'look' }
  | { readonly type: 'held'; readonly heap: number; readonly beside: number }

const file = process.env['HEAP_FILE']
/** A thread that has not answered by then has ended, or is about to. */
const ANSWER_MS = 2000

if (file !== undefined) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const measure = (): NodeJS.MemoryUsage => {
    // What waits for its finaliser goes with the second one.
    collect()
    collect()
    return process.memoryUsage()
  }
  const channel = new BroadcastChannel('toolwire-heap-watch')
  channel.unref()
  if (isMainThread) lookOnSignal(file, channel, measure)
  else answerLooks(channel, measure)
}

function answerLooks(channel: BroadcastChannel, measure: () => NodeJS.MemoryUsage): void {
  channel.onmessage = event => {
    if ((event.data as Said).type !== 'look') return
    const { heapUsed, external } = measure()
    channel.postMessage({ type: 'held', heap: heapUsed, beside: external } satisfies Said)
  }
  channel.postMessage({ type: 'here' } satisfies Said)
}

function lookOnSignal(file: string, channel: BroadcastChannel, measure: () => NodeJS.MemoryUsage): void {
  let threads = 0
  let hear = (_heap: number, _beside: number): void => {}
  channel.onmessage = event => {
    const data = event.data as Said
    if (data.type === 'here') threads += 1
    if (data.type === 'held') hear(data.heap, data.beside)
  }
  process.on('SIGUSR2', () => {
    const { heapUsed, external, rss } = measure()
    const held = { heap: 0, beside: 0, threads: 0 }
    const tell = (): void => {
      clearTimeout(late)
      hear = () => {}
      threads = held.threads
      appendFileSync(file, `${[heapUsed, external, rss, held.heap, held.beside, held.threads].join(' ')}\n`)
    }
    const late = setTimeout(tell, ANSWER_MS)
    if (threads === 0) return tell()
    hear = (heap, beside) => {
      held.heap += heap
      held.beside += beside
      held.threads += 1
      if (held.threads >= threads) tell()
    }
    channel.postMessage({ type: 'look' } satisfies Said)
  })
}
