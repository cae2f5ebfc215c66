/** Branches through a whole runtime: what a provider is asked, and the same end after a kill at every event. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventOf, ModelRequest, SessionEvent, Store } from '@toolwire/core'
import { createMemoryStore, openSqliteStore } from '@toolwire/store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkLog, type Opened, resumesAt, script } from './crash-checks.ts'
import { promptFor, type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import {
  answerAll,
  essence,
  fold,
  message,
  opening,
  openStage,
  playOut,
  readAll,
  SESSION,
  seed,
} from './stage.ts'

const memory = async (): Promise<Opened> => ({ store: createMemoryStore(), done: async () => {} })
async function sqlite(): Promise<Opened> {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-branch-'))
  const store = await openSqliteStore({ dir })
  return {
    store,
    async done() {
      await store.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Another version of the message of `run_id`. */
async function toVersion(
  store: Store,
  run_id: string,
  text: string,
  more: object = {},
): Promise<SessionEvent> {
  const records = await readAll(store)
  const start = records.find(({ ev }) => ev.type === 'run.started' && ev.run_id === run_id)
  const branch = {
    branch_id: `b_${text}`,
    parent_branch_id: 'main',
    after_seq: (start?.seq ?? 0) - 1,
    reason: 'edit',
    replaces: `in_${run_id}`,
    ...more,
  }
  return { ...(message(text, `run_${text}`) as EventOf<'input.message'>), branch } as SessionEvent
}

async function say(store: Store, ...events: readonly SessionEvent[]): Promise<void> {
  await store.append([{ session: SESSION, events, state: 'running' }])
}

/** Two exchanges on the main branch, then an edit of the second one. */
async function playBranch(
  open: () => Promise<Opened>,
  turns: readonly ScriptedTurn[],
  requests?: ModelRequest[],
) {
  const { store, done } = await open()
  const stage = openStage(store, scriptedModel(turns, requests))
  await seed(store, opening('go'))
  await playOut(stage)
  await say(store, message('first-version', 'run-2'))
  await playOut(stage)
  const before = (await readAll(store)).length
  await say(store, await toVersion(store, 'run-2', 'second-version'))
  const state = await playOut(stage)
  const records = await readAll(store)
  await stage.runtime.stop()
  await done()
  return { before, records, state, full: { records, end: essence(state) } }
}

for (const [name, open, runs] of [
  ['memory', memory, 15],
  ['sqlite', sqlite, 2],
] as const)
  describe(name, () => {
    test('kill after every event of a run that opens a branch, restart, same end', async () => {
      await fc.assert(
        fc.asyncProperty(script, async turns => {
          const { before, full, records } = await playBranch(open, turns)
          checkLog(records)
          expect(records.filter(({ ev }) => ev.type === 'branch.opened')).toHaveLength(1)
          for (let cut = before + 1; cut < records.length; cut += 1)
            await resumesAt(open, turns, full, { cut })
        }),
        { numRuns: runs },
      )
    })
  })

test('no request after the branch has a word of the replaced part', async () => {
  const requests: ModelRequest[] = []
  await playBranch(memory, [{ calls: [{ name: 'peek', input: { at: 'x' } }] }], requests)
  const later = requests.filter(request => JSON.stringify(request.messages).includes('second-version'))
  expect(later.length).toBeGreaterThan(1)
  for (const request of later) expect(JSON.stringify(request)).not.toContain('first-version')
})

test('a call of the branch never has the id of a call in the replaced part', async () => {
  const { records } = await playBranch(memory, [{ calls: [{ name: 'peek', input: { at: 'x' } }] }])
  const ids = records.flatMap(({ ev }) => (ev.type === 'block.started' && ev.tool ? [ev.tool.call_id] : []))
  expect(ids).toHaveLength(3)
  expect(new Set(ids).size).toBe(3)
})

test('the note of the branch is behind its message, and is sent once', async () => {
  const requests: ModelRequest[] = []
  const store = createMemoryStore()
  const stage = openStage(store, scriptedModel([], requests))
  await seed(store, opening('go'))
  await playOut(stage)
  await say(store, await toVersion(store, 'run-1', 'again', { note: 'a.txt stays changed.' }))
  await playOut(stage)
  await say(store, message('more', 'run-3'))
  await playOut(stage)
  const last = requests.at(-1)?.messages ?? []
  expect(last.map(({ role }) => role)).toEqual(['user', 'system', 'assistant', 'user'])
  expect(JSON.stringify(last).split('a.txt stays changed.')).toHaveLength(2)
  await stage.runtime.stop()
})

test('the message of a branch starts before messages that wait', async () => {
  const store = createMemoryStore()
  const stage = openStage(store, scriptedModel([]))
  await seed(store, opening('go'))
  await playOut(stage)
  await say(store, message('waits', 'run-2'), await toVersion(store, 'run-1', 'edited'))
  await playOut(stage)
  const starts = (await readAll(store)).flatMap(({ ev }) => (ev.type === 'run.started' ? [ev.run_id] : []))
  expect(starts).toEqual(['run-1', 'run_edited', 'run-2'])
  await stage.runtime.stop()
})

test('an agent of the replaced part reports to its own branch, and no run follows', async () => {
  const asks = promptFor([{ calls: [{ name: 'quiz', input: { at: 'x' } }] }])
  const turns = [{ calls: [{ name: 'Agent', input: { prompt: asks, run_in_background: true } }] }]
  const requests: ModelRequest[] = []
  const store = createMemoryStore()
  const stage = openStage(store, scriptedModel(turns, requests))
  await seed(store, opening('go'))
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  const edited = await toVersion(store, 'run-1', 'edited')
  await say(store, edited)
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  const first = Object.values((await fold(store)).agents).find(agent => agent.at?.branch === 'main')
  expect(first?.calls.some(call => call.approval)).toBe(true)
  await answerAll(stage, await fold(store))
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  const records = await readAll(store)
  const report = records.find(({ ev }) => ev.type === 'input.message' && ev.notifies === first?.agent_run_id)
  expect(report).toBeDefined()
  const started = records.filter(({ ev }) => ev.type === 'run.started' && ev.run_id === report?.ev.run_id)
  expect(started).toEqual([])
  const state = await fold(store)
  expect(JSON.stringify(state.messages)).not.toContain(first?.agent_run_id)
  expect(JSON.stringify(state.hidden)).toContain(first?.agent_run_id)
  await stage.runtime.stop()
})
