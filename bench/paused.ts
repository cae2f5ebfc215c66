/** Memory of a server with many paused threads: a pause must cost database rows, nothing else. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface PausedResult {
  readonly threads: number
  readonly heap_before: number
  readonly heap_after: number
  readonly rss_before: number
  readonly rss_after: number
  readonly database_bytes: number
}

interface Memory {
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
  readonly paused: number
  readonly bytes: number
}

const TOOL = {
  name: 'set_temperature',
  description: 'Sets the temperature.',
  parameters: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
}

/** Pauses `warm` threads first, so that caches are as large as they get, then `threads` more. */
export async function paused(warm: number, threads: number): Promise<PausedResult> {
  const child = fork(fileURLToPath(new URL('./paused-server.ts', import.meta.url)), {
    execArgv: ['--conditions=toolwire-source', '--expose-gc'],
  })
  const { url } = await message<{ url: string }>(child)
  await pauseMany(url, warm)
  const before = await ask(child)
  await pauseMany(url, threads)
  const after = await ask(child)
  child.send('stop')
  await new Promise(resolve => child.once('exit', resolve))
  if (after.paused !== warm + threads) throw new Error(`${after.paused} of ${warm + threads} threads paused`)
  return {
    threads,
    heap_before: before.heapUsed + before.external,
    heap_after: after.heapUsed + after.external,
    rss_before: before.rss,
    rss_after: after.rss,
    database_bytes: after.bytes,
  }
}

async function pauseMany(url: string, count: number): Promise<void> {
  let left = count
  async function worker(): Promise<void> {
    while (left-- > 0) {
      const response = await fetch(`${url}/v4/response`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ input: 'set the temperature to 0.8', tools: [TOOL], stream: false }),
      })
      const text = await response.text()
      if (!text.includes('pending_tools'))
        throw new Error(`not paused: ${response.status} ${text.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: 20 }, worker))
}

function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', value => resolve(value as T))
    child.once('exit', code => reject(new Error(`the server under measurement ended with ${code}`)))
  })
}

async function ask(child: ChildProcess): Promise<Memory> {
  child.send('memory')
  return await message(child)
}
