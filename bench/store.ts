/** What the durable log of one process carries: previews, which do not wait for the disk, and facts, which do. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionEvent, Store } from '@toolwire/core'
import { openSqliteStore } from '@toolwire/store'
import { quantile } from './statistics.ts'

export interface StoreRow {
  readonly kind: 'previews' | 'facts'
  readonly sessions: number
  readonly events_per_second: number
  readonly cpu_us_per_event: number
  readonly p50_ms: number
  readonly p99_ms: number
}

const ts = '2026-01-01T00:00:00.000Z'
const EVENTS: Readonly<Record<StoreRow['kind'], SessionEvent>> = {
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

/** Every session appends one event after the other, all sessions at once, on a database in a temporary folder. */
export async function storeCosts(sessions: number, appends: number): Promise<readonly StoreRow[]> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
  const store = await openSqliteStore({ dir })
  try {
    const rows: StoreRow[] = []
    for (const kind of ['previews', 'facts'] as const)
      rows.push(await measure(store, kind, { sessions, appends }))
    return rows
  } finally {
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function measure(
  store: Store,
  kind: StoreRow['kind'],
  { sessions, appends }: { readonly sessions: number; readonly appends: number },
): Promise<StoreRow> {
  const ids = Array.from({ length: sessions }, (_, n) => `${kind}-${n}`)
  await store.append(ids.map(session => ({ session, create: true, events: [] })))
  const waits: number[] = []
  const before = process.cpuUsage()
  const started = performance.now()
  await Promise.all(
    ids.map(async session => {
      for (let n = 0; n < appends; n++) {
        const asked = performance.now()
        await store.append([{ session, events: [EVENTS[kind]] }])
        waits.push(performance.now() - asked)
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(before)
  const events = sessions * appends
  return {
    kind,
    sessions,
    events_per_second: events / seconds,
    cpu_us_per_event: (user + system) / events,
    p50_ms: quantile(waits, 0.5),
    p99_ms: quantile(waits, 0.99),
  }
}
