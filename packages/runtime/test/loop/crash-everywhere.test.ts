/** Kill after every event of generated runs, start again: the session must come to the same end. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endsRun, type Rec, type Store } from '@toolwire/core'
import { createMemoryStore, openSqliteStore } from '@toolwire/store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  backgroundScript,
  checkLog,
  dieEarly,
  fromStart,
  nestedScript,
  type Opened,
  resumesAt,
  script,
} from './crash-checks.ts'
import { type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import { fold, opening, openStage, playOut, readAll, seed } from './stage.ts'

const stores: Readonly<Record<string, { readonly runs: number; readonly open: () => Promise<Opened> }>> = {
  memory: {
    runs: 40,
    open: async () => ({ store: createMemoryStore(), done: async () => {} }),
  },
  sqlite: {
    runs: 3,
    async open() {
      const dir = mkdtempSync(join(tmpdir(), 'toolwire-crash-'))
      const store = await openSqliteStore({ dir })
      return {
        store,
        async done() {
          await store.close()
          rmSync(dir, { recursive: true, force: true })
        },
      }
    },
  },
}

/** Each part tries other cases, so that none takes minutes on a busy machine. */
const PARTS = 8
const SEED = fc.readConfigureGlobal().seed ?? 0

for (const [name, { runs, open }] of Object.entries(stores))
  describe(name, () => {
    async function survivesKills(turns: readonly ScriptedTurn[]): Promise<void> {
      const full = await fromStart(open, turns)
      for (let cut = 2; cut < full.records.length; cut += 1) await resumesAt(open, turns, full, { cut })
    }

    const parts = Array.from({ length: Math.min(PARTS, runs) }, (_, part) => part)
    test.each(parts)('kill after every event, restart, same end (part %i)', async part => {
      const numRuns = Math.ceil(runs / parts.length)
      await fc.assert(fc.asyncProperty(script, survivesKills), { numRuns, seed: SEED + part })
    })

    test('kill after every event of a run with subagents, restart, same end', async () => {
      await fc.assert(fc.asyncProperty(nestedScript, survivesKills), { numRuns: Math.ceil(runs / 3) })
    })

    test('kill after every event of a run with a background agent, restart, same end, reported once', async () => {
      await fc.assert(fc.asyncProperty(backgroundScript, survivesKills), { numRuns: Math.ceil(runs / 8) })
    })
  })

describe('memory, more than one kill in a row', () => {
  const { open } = stores['memory'] as { open: () => Promise<Opened> }

  test('kill after every event, kill the next process at its second write as well, restart, same end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(script, nestedScript, backgroundScript), async turns => {
        const full = await fromStart(open, turns)
        for (let cut = 2; cut < full.records.length; cut += 1)
          await resumesAt(open, turns, full, { cut, kills: 1 })
      }),
      { numRuns: 8 },
    )
  })

  test('kill every process at its second write: every run ends once all the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(script, backgroundScript), async turns =>
        checkLog(await endsAfterKills(turns)),
      ),
      { numRuns: 15 },
    )
  })

  test('kill every process of a run with subagents at its second write: the run ends once all the same', async () => {
    await fc.assert(
      fc.asyncProperty(nestedScript, async turns => {
        const records = await endsAfterKills(turns)
        checkLog(records.filter(({ ev }) => ev.agent_run_id === undefined))
      }),
      { numRuns: 10 },
    )
  })

  /** Kills until a process finds nothing left to do, or the run waits for an answer. */
  async function endsAfterKills(turns: readonly ScriptedTurn[]): Promise<readonly Rec[]> {
    const { store } = await open()
    await seed(store, opening('go'))
    for (let kills = 0; (await fold(store)).phase !== 'paused' && !(await hasEnded(store)); kills += 1) {
      expect(kills, 'the run is resumed for ever').toBeLessThan(1000)
      await dieEarly(store, scriptedModel(turns))
    }
    const stage = openStage(store, scriptedModel(turns))
    await playOut(stage)
    await stage.runtime.stop()
    return await readAll(store)
  }

  const hasEnded = async (store: Store): Promise<boolean> =>
    (await readAll(store)).some(({ ev }) => ev.agent_run_id === undefined && endsRun(ev.type))
})

test('the check itself sees a log whose run never ended', async () => {
  const { store } = await (stores['memory'] as { open: () => Promise<Opened> }).open()
  await seed(store, [
    ...opening('go'),
    {
      type: 'run.started',
      ts: '',
      run_id: 'run-1',
      conversation_id: 'c',
      trigger: 'message',
      client_tools: [],
      model: 'm',
    },
  ])
  const records = await readAll(store)
  expect((await fold(store)).phase).toBe('running')
  expect(() => checkLog(records)).toThrow(/ends of run/)
})
