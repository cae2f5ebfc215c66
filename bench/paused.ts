/** Memory of a server with many paused threads: a pause must cost database rows, nothing else. */
import { type HeapProbe, makeHeapProbe } from './heap-probe.ts'
import type { Subject } from './spawn-subject.ts'
import { startToolwire } from './start-toolwire.ts'

/** One of each per round. */
export interface PausedResult {
  readonly heap_before: number[]
  readonly heap_after: number[]
  readonly heap_each: number[]
  readonly database_bytes: number[]
}

interface PausedLoad {
  /** Threads that pause first, so that caches are as large as they get. */
  readonly warm: number
  readonly threads: number
}

const TOOL = {
  name: 'set_temperature',
  description: 'Sets the temperature.',
  parameters: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
}

/** A fresh server for every round. */
export async function paused(
  command: readonly string[],
  load: PausedLoad,
  rounds: number,
): Promise<PausedResult> {
  const result: PausedResult = { heap_before: [], heap_after: [], heap_each: [], database_bytes: [] }
  const probe = makeHeapProbe()
  try {
    for (let round = 0; round < rounds; round++) {
      const server = await startToolwire({
        command: [...probe.args, ...command],
        flags: ['--model', 'demo'],
        env: { TOOLWIRE_DEMO_PACE_MS: '0', ...probe.env },
      })
      try {
        await measure(server, probe, load, result)
      } finally {
        await server.stop()
      }
    }
  } finally {
    probe.remove()
  }
  return result
}

async function measure(
  { url, pid }: Subject,
  probe: HeapProbe,
  { warm, threads }: PausedLoad,
  result: PausedResult,
): Promise<void> {
  await pauseMany(url, warm)
  const before = await probe.look(pid)
  await pauseMany(url, threads)
  const after = await probe.look(pid)
  const stored = (await (await fetch(`${url}/api/storage`)).json()) as {
    readonly by_state: Readonly<Record<string, number>>
    readonly bytes: number
  }
  const count = stored.by_state['paused'] ?? 0
  if (count !== warm + threads) throw new Error(`${count} of ${warm + threads} threads paused`)
  result.heap_before.push(before)
  result.heap_after.push(after)
  result.heap_each.push((after - before) / threads)
  result.database_bytes.push(stored.bytes)
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
