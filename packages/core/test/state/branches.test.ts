import { evolve, initial, modelHistory, type Rec, type SessionEvent } from '@toolwire/core'
import { applyRecords, branchOf, emptyView, messagesOf, showBranch } from '@toolwire/core/view'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { advance, NO_FACTS } from '../../src/facts/index.ts'
import { checkAgreement } from '../facts/agreement.ts'
import { type BranchStep, branchSteps, foldAll, toBranchLog } from './branch-log.ts'

const wordsIn = (value: unknown): readonly string[] => [
  ...new Set(JSON.stringify(value).match(/word\d+\./g) ?? []),
]

describe('a log with branches', () => {
  test('gives the model the words of the active branch alone, and of all its exchanges', () => {
    fc.assert(
      fc.property(branchSteps, steps => {
        const { records, branches, active } = toBranchLog(steps)
        const state = foldAll(records)
        const words = branches.get(active) ?? []
        const asked = modelHistory({ ...state, compaction: undefined })
        expect(wordsIn(asked)).toEqual(words)
        const { branches: _, hidden: __, created: ___, notes, aborted_calls, ...request } = state
        expect(wordsIn(request).filter(word => !words.includes(word))).toEqual([])
        expect(notes?.['todos'] ?? []).toEqual(words.slice(-1))
        const skills = Object.keys(notes ?? {}).filter(name => name.startsWith('skill:'))
        expect(skills.toSorted()).toEqual(words.map(word => `skill:s${word}`).toSorted())
        expect(state.compaction?.summary).toBe(words.length > 0 ? `Summary ${words.at(-1)}` : undefined)
      }),
      { numRuns: 300 },
    )
  })

  test('is folded to the same bytes after a checkpoint at any record', () => {
    fc.assert(
      fc.property(branchSteps, fc.nat(), (steps, at) => {
        const { records } = toBranchLog(steps)
        const cut = at % records.length
        const stored = JSON.parse(JSON.stringify(foldAll(records.slice(0, cut))))
        const resumed = records.slice(cut).reduce(evolve, stored)
        expect(JSON.parse(JSON.stringify(resumed))).toEqual(JSON.parse(JSON.stringify(foldAll(records))))
      }),
      { numRuns: 200 },
    )
  })

  test('has one active branch for state, facts and view, at every record', () => {
    fc.assert(
      fc.property(branchSteps, steps => {
        const { records, branches } = toBranchLog(steps)
        checkAgreement(records)
        const state = foldAll(records)
        const facts = records.reduce(advance, NO_FACTS)
        const view = applyRecords(emptyView(), records)
        expect(facts.branches).toEqual(state.branches)
        expect(view.branches).toEqual(state.branches)
        for (const [id, words] of branches) {
          const shown = showBranch(view, id)
          const messages = shown.turns.flatMap(turn => messagesOf(shown, turn))
          expect(wordsIn(messages.map(message => message.id))).toEqual(words)
        }
        const sum = [...view.turns, ...(view.hidden ?? [])].reduce((n, turn) => n + turn.stats.turns, 0)
        expect(view.stats.turns).toBe(sum)
      }),
      { numRuns: 150 },
    )
  })

  test('selecting a branch and coming back changes nothing of what the model sees', () => {
    fc.assert(
      fc.property(branchSteps, fc.nat(), (steps, at) => {
        const { records, branches, active } = toBranchLog(steps)
        const state = foldAll(records)
        const other = [...branches.keys()][at % branches.size] ?? active
        const back = [other, active].reduce((folded, branch_id) => {
          const ev = { type: 'branch.selected', ts: '', branch_id, by: 'test' } as const
          return evolve(folded, { seq: folded.head + 1, epoch: 1, ev })
        }, state)
        expect(back.messages).toEqual(state.messages)
        expect(back.known_tools).toEqual(state.known_tools)
        expect(back.compaction?.summary).toEqual(state.compaction?.summary)
      }),
      { numRuns: 150 },
    )
  })
})

const run = (...steps: BranchStep[]) => toBranchLog(steps)
const send = { do: 'send' } as const

test('what was read is forgotten with the branch, rules stay', () => {
  const { records } = run(send, send, { do: 'regenerate', at: 1 })
  const names = Object.keys(foldAll(records).notes ?? {})
  expect(names.filter(name => name.startsWith('file:'))).toHaveLength(1)
  expect(names.filter(name => name.startsWith('rule:'))).toHaveLength(3)
})

test('a branch event has no effect while a run has not ended', () => {
  const { records } = run(send, send, { do: 'edit', at: 1 })
  const running = records.slice(0, records.findLastIndex(({ ev }) => ev.type === 'turn.started') + 1)
  const select: Rec = {
    seq: running.length + 1,
    epoch: 1,
    ev: { type: 'branch.selected', ts: '', branch_id: 'main', by: 'test' },
  }
  const after = [...running, select]
  expect(foldAll(after).branches?.active).toBe(foldAll(running).branches?.active)
  expect(after.reduce(advance, NO_FACTS).branches?.active).toBe(foldAll(running).branches?.active)
  expect(applyRecords(emptyView(), after).branches?.active).toBe(foldAll(running).branches?.active)
})

describe('versions of a message', () => {
  const versions = (...steps: BranchStep[]) => {
    const { records } = run(...steps)
    const view = applyRecords(emptyView(), records)
    return view.turns.flatMap(turn => messagesOf(view, turn).map(message => branchOf(view, message)))
  }

  test('of an answer that was regenerated: the question has none', () => {
    const [question, answer] = versions(send, { do: 'regenerate', at: 0 })
    expect(question).toBeUndefined()
    expect(answer).toMatchObject({ index: 1, count: 2, ids: ['main', expect.stringMatching(/^b/)] })
  })

  test('of a question that was edited: its answer has none', () => {
    const [question, answer] = versions(send, { do: 'edit', at: 0 })
    expect(question).toMatchObject({ index: 1, count: 2 })
    expect(answer).toBeUndefined()
  })

  test('of an edited question whose answer was regenerated', () => {
    const [question, answer] = versions(send, { do: 'edit', at: 0 }, { do: 'regenerate', at: 1 })
    expect(question).toMatchObject({ index: 1, count: 2 })
    expect(answer).toMatchObject({ index: 1, count: 2 })
  })
})

describe('a background agent of a branch that was left', () => {
  const agent = (type: string, more: object = {}): SessionEvent =>
    ({ type, ts: '', agent_run_id: 'agent_1', ...more }) as unknown as SessionEvent
  const report: SessionEvent = {
    type: 'input.message',
    ts: '',
    run_id: 'late',
    message_id: 'msg_agent_1',
    role: 'system',
    content: [{ type: 'text', text: 'The agent is done.' }],
    notifies: 'agent_1',
    if_paused: 'queue',
  }
  /** Started in the first exchange, reported after `steps`. */
  const log = (steps: readonly BranchStep[]) => {
    const { records } = toBranchLog([send, ...steps])
    const end = records.findIndex(({ ev }) => ev.type === 'run.completed')
    const started = agent('agent.started', {
      name: 'a',
      parent_call_id: 'c',
      prompt: 'p',
      background: true,
    })
    const done = [agent('agent.finished', { outcome: 'success' }), report]
    const events = [...records.slice(0, end).map(({ ev }) => ev), started]
    const rest = records
      .slice(end)
      .map(({ ev }) =>
        ev.type === 'branch.opened'
          ? { ...ev, after_seq: ev.after_seq > end ? ev.after_seq + 1 : ev.after_seq }
          : ev,
      )
    return [...events, ...rest, ...done].map((ev, at): Rec => ({ seq: at + 1, epoch: 1, ev }))
  }
  const textOf = (records: readonly Rec[]): string => JSON.stringify(modelHistory(foldAll(records)))

  test('reports to its own branch and starts no run', () => {
    const records = log([{ do: 'edit', at: 0 }])
    const state = foldAll(records)
    expect(state.queue).toEqual([])
    expect(textOf(records)).not.toContain('The agent is done.')
    expect(records.reduce(advance, NO_FACTS).open).toEqual([])
    expect(applyRecords(emptyView(), records).queue).toEqual([])
    const ev = { type: 'branch.selected', ts: '', branch_id: 'main', by: 'test' } as const
    expect(textOf([...records, { seq: records.length + 1, epoch: 1, ev }])).toContain('The agent is done.')
  })

  test('reports to the active branch if that branch has its start', () => {
    const records = log([send, { do: 'edit', at: 1 }])
    expect(foldAll(records).queue).toHaveLength(1)
    expect(records.reduce(advance, NO_FACTS).open).toEqual(['late'])
    expect(applyRecords(emptyView(), records).queue).toHaveLength(1)
  })
})

test('a command that another branch started reports its end there', () => {
  const { records } = run(send, { do: 'edit', at: 0 })
  const note = (seq: number, ended: boolean): Rec => ({
    seq,
    epoch: 1,
    ev: { type: 'note', ts: '', name: 'task:t1', value: { ended } },
  })
  const opened = records.findIndex(({ ev }) => ev.type === 'branch.opened')
  const before = records.slice(0, opened - 1)
  const rest = records.slice(opened - 1).map(rec => ({ ...rec, seq: rec.seq + 1 }))
  const all = [...before, note(opened, false), ...rest, note(records.length + 2, true)]
  const state = all.reduce(evolve, initial())
  expect(state.notes?.['task:t1']).toBeUndefined()
  const ev = { type: 'branch.selected', ts: '', branch_id: 'main', by: 'test' } as const
  expect(evolve(state, { seq: state.head + 1, epoch: 1, ev }).notes?.['task:t1']).toEqual({ ended: true })
})
