/** A store whose one long session exists only as a formula: records are made when read, so a test measures the server alone. */
import type { Rec, SessionEvent, SessionRow, Store } from '@toolwire/core'

export interface VirtualStore extends Store {
  /** Makes the session this long, and notifies the watchers. */
  readonly grow: (head: number) => void
  readonly reads: () => number
}

export const VIRTUAL_SESSION = '11111111-2222-4333-8444-555555555555'

const ts = '2026-01-01T00:00:00.000Z'
const OPENING: readonly SessionEvent[] = [
  { type: 'session.created', ts, cwd: '/', model: 'demo', tools: [], permission_mode: 'default' },
  {
    type: 'run.started',
    ts,
    run_id: 'r',
    conversation_id: 'r',
    trigger: 'message',
    client_tools: [],
    model: 'demo',
  },
  {
    type: 'block.started',
    ts,
    run_id: 'r',
    message_id: 'm',
    block_id: 'b',
    index: 0,
    run_index: 0,
    kind: 'text',
  },
]

export function createVirtualStore(): VirtualStore {
  let head = OPENING.length
  let reads = 0
  const hints = new Set<(session: string, head: number) => void>()
  const record = (seq: number): Rec => ({
    seq,
    epoch: 1,
    ev: OPENING[seq - 1] ?? {
      type: 'block.delta',
      ts,
      run_id: 'r',
      block_id: 'b',
      offset: 0,
      text: `word ${seq} `,
    },
  })
  const row = (): SessionRow => ({
    id: VIRTUAL_SESSION,
    head,
    epoch: 1,
    owner: null,
    state: 'running',
    title: null,
    labels: {},
    wakeAt: null,
    createdAt: 0,
    updatedAt: 0,
  })
  return {
    grow(length) {
      head = length
      for (const hint of hints) hint(VIRTUAL_SESSION, head)
    },
    reads: () => reads,
    append: async writes => writes.map(() => ({ head })),
    async read(_session, after, max) {
      reads += 1
      return Array.from({ length: Math.max(0, Math.min(max, head - after)) }, (_, i) => record(after + 1 + i))
    },
    claim: async () => [],
    async watch(hint) {
      hints.add(hint)
      return () => hints.delete(hint)
    },
    list: async () => ({ items: [row()], next: null }),
    remove: async () => false,
    prune: async () => 0,
    stats: async () => ({ sessions: 1, events: head, rows: head, bytes: 0, byState: {} }),
    close: async () => {},
  }
}
