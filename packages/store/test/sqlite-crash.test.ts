/** Sudden ends: what was acknowledged is there, whatever happened to the process or to the end of the log. */
import { copyFile, open, readFile, truncate } from 'node:fs/promises'
import type { SessionEvent } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Ack, startAppender } from './appender.ts'
import { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts'

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await makeTemporaryFolder()
})
afterEach(() => folder.remove())

/** Each event of the program says which place in its session it was meant for. */
function placeOf(event: SessionEvent): number {
  if (event.type === 'note') return Number(event.value)
  return Number(
    event.type === 'block.delta'
      ? event.text
      : event.type === 'turn.completed'
        ? event.message_id
        : Number.NaN,
  )
}

/** Opens the data, checks that every log is whole and in order, and returns the heads. */
async function checkLogs(dir: string): Promise<ReadonlyMap<string, number>> {
  const store = await openSqliteStore({ dir })
  const heads = new Map<string, number>()
  for (const { id, head } of (await store.list({ limit: 100 })).items) {
    const records = await store.read(id, 0, 1_000_000)
    expect(records).toHaveLength(head)
    expect(records.every((rec, i) => rec.seq === i + 1 && placeOf(rec.ev) === rec.seq)).toBe(true)
    heads.set(id, head)
  }
  await store.close()
  return heads
}

function expectAtLeast(heads: ReadonlyMap<string, number>, ack: Ack | undefined): void {
  for (const [id, head] of Object.entries(ack?.heads ?? {}))
    expect([id, (heads.get(id) ?? 0) >= head]).toEqual([id, true])
}

test('everything acknowledged before a SIGKILL is there, round after round', async () => {
  for (let round = 1; round <= 5; round++) {
    const appender = await startAppender(folder.path)
    await appender.acked(30 * round)
    const acks = await appender.kill()
    expectAtLeast(await checkLogs(folder.path), acks.at(-1))
  }
})

test('a torn or garbled end of the log costs nothing that was stored before the damage', async () => {
  const appender = await startAppender(folder.path)
  await appender.acked(150)
  const acks = await appender.kill()
  const wal = (await readFile(`${folder.file}-wal`)).length
  const damages: readonly (readonly [
    name: string,
    at: number,
    damage: (file: string, at: number) => Promise<void>,
  ])[] = [
    ['cut', wal - 1, truncate],
    ['cut', Math.floor(wal * 0.7) + 11, truncate],
    ['cut', Math.floor(wal * 0.3), truncate],
    ['cut', 16, truncate],
    ['cut', 0, truncate],
    ['garbage', wal, writeGarbage],
    ['garbage', Math.floor(wal * 0.8) + 5, writeGarbage],
    ['garbage', Math.floor(wal * 0.4), writeGarbage],
  ]
  for (const [, at, damage] of damages) {
    const copy = await makeTemporaryFolder()
    await copyFile(folder.file, copy.file)
    await copyFile(`${folder.file}-wal`, `${copy.file}-wal`)
    await damage(`${copy.file}-wal`, at)
    const heads = await checkLogs(copy.path)
    expectAtLeast(
      heads,
      acks.findLast(ack => ack.wal <= at),
    )
    await copy.remove()
  }
})

async function writeGarbage(file: string, at: number): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(5000, 0xa5), 0, 5000, at)
  await handle.close()
}
