/** Logs with branches, and what each branch holds, computed in another way than the folds do. */
import { evolve, initial, type Rec, type SessionEvent } from '@toolwire/core'
import fc from 'fast-check'

const TS = '2026-01-01T00:00:00.000Z'
const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }

/** `at` picks one of what there is; a step without anything to pick from is left out. */
export type BranchStep =
  | { readonly do: 'send' }
  | { readonly do: 'regenerate' | 'edit'; readonly at: number }
  | { readonly do: 'select'; readonly at: number }

const at = fc.nat(1000)
export const branchSteps: fc.Arbitrary<BranchStep[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({ do: 'send' } as const) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('regenerate', 'edit'), at }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('select' as const), at }) },
  ) as fc.Arbitrary<BranchStep>,
  { minLength: 1, maxLength: 14 },
)

interface Turn {
  readonly word: string
  /** Seq of its run's start. */
  readonly seq: number
}

export interface BranchLog {
  readonly records: readonly Rec[]
  /** The words of each branch, oldest first. */
  readonly branches: ReadonlyMap<string, readonly string[]>
  readonly active: string
}

/** Every exchange has its own word: in its question, its answer, a note and a todo. */
export function toBranchLog(steps: readonly BranchStep[]): BranchLog {
  const records: Rec[] = []
  const branches = new Map<string, readonly Turn[]>([['main', []]])
  let active = 'main'
  const add = (ev: Omit<SessionEvent, 'ts'> & { readonly type: string }): number => {
    records.push({ seq: records.length + 1, epoch: 1, ev: { ts: TS, ...ev } as SessionEvent })
    return records.length
  }
  add({ type: 'session.created', cwd: '/', model: 'm', tools: [], permission_mode: 'default' } as never)
  const play = (path: readonly Turn[], open?: (replaces: string) => void): void => {
    const run_id = `run${records.length}`
    const word = `word${records.length}.`
    add({
      type: 'input.message',
      run_id,
      message_id: `q_${word}`,
      role: 'user',
      content: [text(word)],
    } as never)
    open?.(path.at(-1)?.word ?? '')
    const seq = add(started(run_id) as never)
    for (const ev of answer(run_id, word)) add(ev as never)
    branches.set(active, [...path, { word, seq }])
  }
  for (const step of steps) {
    const path = branches.get(active) ?? []
    if (step.do === 'send') play(path)
    else if (step.do === 'select') {
      active = [...branches.keys()][step.at % branches.size] ?? active
      add({ type: 'branch.selected', branch_id: active, by: 'test' } as never)
    } else {
      const all = [...branches].flatMap(([id, turns]) => turns.map((turn, n) => ({ id, turn, n, turns })))
      const picked = all[step.at % Math.max(1, all.length)]
      if (!picked) continue
      const branch_id = `b${records.length}`
      play(picked.turns.slice(0, picked.n), () => {
        active = branch_id
        const after_seq = picked.turn.seq - 1
        const replaces = `q_${picked.turn.word}`
        const opened = { branch_id, parent_branch_id: picked.id, after_seq, reason: step.do, replaces }
        add({ type: 'branch.opened', ...opened } as never)
      })
    }
  }
  const words = [...branches].map(([id, turns]) => [id, turns.map(({ word }) => word)] as const)
  return { records, branches: new Map(words), active }
}

const text = (word: string) => ({ type: 'text', text: `Ask ${word}` })
const started = (run_id: string) => ({
  type: 'run.started',
  run_id,
  conversation_id: run_id,
  trigger: 'message',
  client_tools: [{ name: 'page', description: run_id, input_schema: {} }],
  model: 'm',
})

function answer(run_id: string, word: string): readonly object[] {
  const message_id = `a_${word}`
  const block = { run_id, message_id, block_id: `block_${word}`, index: 0, run_index: 0 }
  const tool = { call_id: `call_${word}`, name: 'peek', tool_type: 'builtin', executor: 'server' }
  const totals = { usage_by_model: [], duration_ms: 0, num_turns: 1 }
  return [
    { type: 'turn.started', run_id, turn: 0, provider: 'p', model: 'm', attempt: 1 },
    { type: 'message.started', run_id, message_id, provider_message_id: '', role: 'assistant' },
    { type: 'block.started', ...block, kind: 'tool_use', tool },
    { type: 'block.completed', run_id, block_id: block.block_id, input_text: `{"at":"${word}"}` },
    { type: 'turn.completed', run_id, message_id, stop_reason: '', finish: 'stop', usage, has_next: true },
    {
      type: 'tool.completed',
      run_id,
      call_id: tool.call_id,
      content: [],
      output_text: `Saw ${word}`,
      is_error: false,
      duration_ms: 0,
    },
    { type: 'note', run_id, name: `file:/${word}`, value: word },
    { type: 'note', run_id, name: 'todos', value: [word] },
    { type: 'skill.loaded', run_id, name: `s${word}`, sha256: '', dir: '/', text: '', by: 'user' },
    { type: 'note', run_id, name: `rule:${word}`, value: true },
    { type: 'history.compacted', run_id, replaced: 0, summary: `Summary ${word}`, shortened: [] },
    { type: 'run.completed', run_id, status: 'success', finish: 'stop', result_text: '', ...totals },
  ]
}

export const foldAll = (records: readonly Rec[]) => records.reduce(evolve, initial())
