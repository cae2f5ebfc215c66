/**
 * Cut the stream after every frame of generated runs, resume with its id: byte-identical, on every
 * wire and both stores, live and after the store has been closed, folded and opened again.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Rec, START, type Store } from '@toolwire/core'
import { createMemoryStore, openSqliteStore } from '@toolwire/store'
import { canonicalWire, chatWire, threadWire, type Wire } from '@toolwire/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ScriptedTurn, scriptedModel } from '../../runtime/test/loop/scripted-model.ts'
import { opening, openStage, playOut, readAll, seed } from '../../runtime/test/loop/stage.ts'
import { findBrokenCut, resumeFromStart } from '../../wire/test/resume-property.ts'

const WIRES: readonly Wire[] = [chatWire, threadWire, canonicalWire]

const call = fc.record({
  name: fc.constantFrom('peek', 'poke', 'boom', 'browse', 'nosuch'),
  input: fc.constantFrom({ at: 'x' }, { at: '中文 and more than one delta' }, { wrong: 1 }),
})
const turn: fc.Arbitrary<ScriptedTurn> = fc.record(
  {
    thinking: fc.constant('hm, hm'),
    text: fc.constantFrom('Let me see.', '看一看。'),
    calls: fc.array(call, { maxLength: 3 }),
  },
  { requiredKeys: ['calls'] },
)
const script = fc.array(turn, { maxLength: 3 })

interface Kind {
  readonly runs: number
  readonly open: (dir: string) => Promise<Store>
  /** The same data in a new store; only for stores that keep them. */
  readonly durable: boolean
}
const KINDS: Readonly<Record<string, Kind>> = {
  memory: { runs: 40, open: async () => createMemoryStore(), durable: false },
  sqlite: { runs: 12, open: dir => openSqliteStore({ dir }), durable: true },
}

async function play(store: Store, turns: readonly ScriptedTurn[]): Promise<readonly Rec[]> {
  const stage = openStage(store, scriptedModel(turns))
  await seed(store, opening('go'))
  await playOut(stage)
  await stage.runtime.stop()
  return await readAll(store)
}

for (const [name, kind] of Object.entries(KINDS))
  describe(name, () => {
    test('cut after every frame, resume with Last-Event-ID, byte-identical continuation', async () => {
      await fc.assert(
        fc.asyncProperty(script, async turns => {
          const dir = mkdtempSync(join(tmpdir(), 'toolwire-cut-'))
          const store = await kind.open(dir)
          try {
            const live = await play(store, turns)
            for (const wire of WIRES) expect(findBrokenCut(wire, live), wire.id).toBeUndefined()
            await store.close()
            if (kind.durable) await sameAfterReopening(kind, dir, live)
          } finally {
            await store.close()
            rmSync(dir, { recursive: true, force: true })
          }
        }),
        { numRuns: kind.runs },
      )
    })
  })

/** Closing folds the deltas; readers must not notice. */
async function sameAfterReopening(kind: Kind, dir: string, live: readonly Rec[]): Promise<void> {
  const again = await kind.open(dir)
  try {
    const folded = await readAll(again)
    for (const wire of WIRES) {
      expect(resumeFromStart(wire, folded, START)).toEqual(resumeFromStart(wire, live, START))
      expect(findBrokenCut(wire, folded), wire.id).toBeUndefined()
    }
  } finally {
    await again.close()
  }
}
