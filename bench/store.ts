/** Throughput of one process's durable log: previews, which do not wait for the disk, and facts, which do. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionEvent, Store } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { quantile } from './statistics.ts'

type Kind = 'previews' | 'facts'

export interface StoreRow {
  readonly kind: Kind
  /** One of each per round. */
  readonly events_per_second: number[]
  readonly cpu_us_per_event: number[]
  readonly p50_ms: number[]
  readonly p99_ms: number[]
}

interface StoreLoad {
  readonly sessions: number
  readonly appends: number
}

const ts = '2026-01-01T00:00:00.000Z'
const EVENTS: Readonly<Record<Kind, SessionEvent>> = {
  previews: {
    type: 'block.delta',
    ts,
    run_id: 'r',
    turn: 1,
    block_id: 'm.0',
    offset: 0,
    text: 'a few words ',
  },
  facts: { type: 'block.completed', ts, run_id: 'r', turn: 1, block_id: 'm.0', text: 'a few words ' },
}

/** Every session appends one event after the other, all sessions at once, on a fresh database for every round. */
export async function storeCosts(load: StoreLoad, rounds: number): Promise<readonly StoreRow[]> {
  const rows = (['previews', 'facts'] as const).map(
    (kind): StoreRow => ({ kind, events_per_second: [], cpu_us_per_event: [], p50_ms: [], p99_ms: [] }),
  )
  for (let round = 0; round < rounds; round++) {
    const dir = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
    const store = await openSqliteStore({ dir })
    try {
      for (const row of rows) await measure(store, row, load)
    } finally {
      await store.close()
      rmSync(dir, { recursive: true, force: true })
    }
  }
  return rows
}

async function measure(store: Store, row: StoreRow, { sessions, appends }: StoreLoad): Promise<void> {
  const ids = Array.from({ length: sessions }, (_, n) => `${row.kind}-${n}`)
  await store.append(ids.map(session => ({ session, create: true, events: [] })))
  const waits: number[] = []
  const before = process.cpuUsage()
  const started = performance.now()
  await Promise.all(
    ids.map(async session => {
      for (let n = 0; n < appends; n++) {
        const asked = performance.now()
        await store.append([{ session, events: [EVENTS[row.kind]] }])
        waits.push(performance.now() - asked)
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(before)
  const events = sessions * appends
  row.events_per_second.push(events / seconds)
  row.cpu_us_per_event.push((user + system) / events)
  row.p50_ms.push(quantile(waits, 0.5))
  row.p99_ms.push(quantile(waits, 0.99))
}
