/** Memory of a server with many paused threads: a pause must cost database rows, nothing else. */
import { startMeasured } from './child.ts'

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
  const server = await startMeasured<Memory>('./paused-server.ts', { execArgv: ['--expose-gc'] })
  await pauseMany(server.url, warm)
  const before = await server.report()
  await pauseMany(server.url, threads)
  const after = await server.report()
  await server.stop()
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
