/** A process that streams to the sessions `a` and `b` and is killed, and the check that what it left is whole. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Store } from '@toolwire/core'
import { expect } from 'vitest'

const PROGRAM = fileURLToPath(new URL('./preview-forever.ts', import.meta.url))

/** Runs preview-forever.ts in `dir` and kills it at its line number `lines`; resolves with all lines that came. */
export async function streamUntil(
  dir: string,
  lines: number,
  args: readonly string[] = [],
): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--conditions=toolwire-source', PROGRAM, dir, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', line => {
    said.push(line)
    if (said.length === lines) child.kill('SIGKILL')
  })
  await once(reader, 'close')
  expect(said.length).toBeGreaterThanOrEqual(lines)
  return said
}

/** Every log is whole: as long as its head says, and each event in the place it was made for. Returns the heads. */
export async function wholeHeads(store: Store): Promise<readonly number[]> {
  const heads: number[] = []
  for (const id of ['a', 'b']) {
    const records = await store.read(id, 0, 1_000_000)
    const places = records.map(({ ev }) => Number(ev.type === 'note' ? ev.value : 'text' in ev && ev.text))
    expect(places).toEqual(records.map((_, i) => i + 1))
    expect((await store.list({ ids: [id], limit: 1 })).items[0]?.head ?? 0).toBe(records.length)
    heads.push(records.length)
  }
  return heads
}
