/**
 * The machine goes down at any system call of a program that stores facts and previews, and any of its unsynced
 * writes are lost. Runs where strace does: it alone shows what was synced.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openSqliteStore } from '@toolwire/store'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { wholeHeads } from './preview-stream.ts'
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts'
import { type Call, loseUnsynced, readTrace, STRACE } from './traced-writes.ts'

vi.setConfig({ testTimeout: 300_000 })

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await makeTemporaryFolder()
})
afterEach(() => folder.remove())

function canTrace(): boolean {
  try {
    execFileSync('strace', ['-o', '/dev/null', process.execPath, '--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Stores facts and previews under strace until `facts` facts were acknowledged; all that it did. */
async function trace(facts: number): Promise<readonly Call[]> {
  const out = `${folder.path}/trace.txt`
  const program = fileURLToPath(new URL('./preview-forever.ts', import.meta.url))
  const args = ['--conditions=toolwire-source', program, `${folder.path}/data`, 'facts']
  const child = spawn('strace', [...STRACE(out), process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  let lines = 0
  const reader = createInterface({ input: child.stdout })
  reader.on('line', () => {
    if (++lines === facts && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  })
  await once(reader, 'close')
  expect(readFileSync(out).length).toBeGreaterThan(0)
  return readTrace(out, `${folder.path}/data`)
}

if (canTrace())
  test('at whatever call the power goes, every acknowledged fact is there and no log has a hole', async () => {
    const calls = await trace(12)
    const begun = calls.findIndex(call => call.type === 'said')
    expect(
      calls.filter(call => call.type === 'write' && call.file.includes('-previews-')).length,
    ).toBeGreaterThan(20)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: begun + 1, max: calls.length }),
        fc.infiniteStream(fc.boolean()),
        fc.nat(10_000),
        async (end, kept, n) => {
          const dir = `${folder.path}/after-${end}-${n}`
          loseUnsynced(calls, end, dir, () => kept.next().value)
          const said = calls.slice(0, end).findLast(call => call.type === 'said')
          const { facts } = JSON.parse(said?.line ?? '') as { readonly facts: readonly number[] }
          const store = await openSqliteStore({ dir })
          for (const [i, head] of (await wholeHeads(store)).entries())
            expect(head).toBeGreaterThanOrEqual(facts[i] ?? 0)
          await store.close()
        },
      ),
      { numRuns: 20, seed: 3 },
    )
  })

test('what a sync covers stays, and whatever no sync covers may be lost', () => {
  const write = (at: number, text: string): Call => ({
    type: 'write',
    file: 'toolwire.db',
    at,
    bytes: Buffer.from(text),
  })
  const calls: readonly Call[] = [
    write(0, 'ab'),
    { type: 'sync', file: 'toolwire.db', since: 1 },
    write(2, 'cd'),
  ]
  const after = (end: number, keep: boolean): string => {
    const dir = `${folder.path}/${end}-${keep}`
    loseUnsynced(calls, end, dir, () => keep)
    return readFileSync(`${dir}/toolwire.db`, 'utf8')
  }
  expect(after(3, false)).toBe('ab')
  expect(after(3, true)).toBe('abcd')
})
