/** A session that a test writes, record by record, and the log of many calls at once. */
import type { SessionSnapshot } from '@toolwire/client'
import { applyRecords, emptyView } from '@toolwire/core/view'
import { Script } from '../../core/test/view/script.ts'
import type { SessionCommands, SessionSource } from '../src/index.ts'

export interface DrivenSession {
  readonly source: SessionSource
  readonly script: Script
  /** Shows what the script has got since the last time. */
  readonly publish: () => void
}

/** Starts with `script` as it is. */
export function driveSession(script: Script): DrivenSession {
  const listeners = new Set<() => void>()
  const take = (view = emptyView()): SessionSnapshot => ({
    view: applyRecords(view, script.records),
    connection: { state: 'live', attempt: 0 },
  })
  let snapshot = take()
  return {
    script,
    source: {
      id: 's1',
      getSnapshot: () => snapshot,
      subscribe(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      send: () => Promise.reject(new Error('a fixture takes no messages')),
      registerTool: () => () => {},
    },
    publish() {
      snapshot = { ...take(snapshot.view), connection: snapshot.connection }
      for (const listener of listeners) listener()
    },
  }
}

/** `count` running calls, named `c0`, `c1` and so on, in a separate message before one that is being written. */
export function manyCalls(count: number): Script {
  const script = new Script().created().ask('go').turn('m1')
  for (let n = 0; n < count; n++)
    script.call('m1', n, `c${n}`).add('tool.started', { call_id: `c${n}`, attempt: 1 })
  const block = { message_id: 'm1', block_id: 'm1.t', index: count, run_index: count, kind: 'text' } as const
  script.add('block.started', block).endTurn('m1').turn('m2', 1)
  return script.add('block.started', {
    message_id: 'm2',
    block_id: 'm2.0',
    index: 0,
    run_index: count + 1,
    kind: 'text',
  })
}

const refuse = () => Promise.reject(new Error('a fixture takes no commands'))

export const noCommands: SessionCommands = {
  approve: refuse,
  deny: refuse,
  answer: refuse,
  cancel: refuse,
  cancelCall: refuse,
  fork: refuse,
  toolOutputs: refuse,
}

/** What happens to a long session, and which cards may be drawn again for it. */
export const CHANGES: readonly {
  readonly name: string
  readonly act: (script: Script, n: number) => void
  readonly redrawn: readonly string[]
}[] = [
  {
    name: 'output of one call',
    act: (script, n) => script.add('tool.progress', { call_id: 'c3', output_delta: `line ${n}\n` }),
    redrawn: ['c3'],
  },
  {
    name: 'text of another message',
    act: (script, n) => script.add('block.delta', { block_id: 'm2.0', offset: n * 2, text: 'ab' }),
    redrawn: [],
  },
  {
    name: 'text of the same message',
    act: (script, n) => script.add('block.delta', { block_id: 'm1.t', offset: n * 2, text: 'ab' }),
    redrawn: [],
  },
  {
    name: 'a message that waits behind',
    act: (script, n) => script.message('later', `later${n}`),
    redrawn: [],
  },
]

/** One call that asks one thing after another: `next` answers the question that is open and asks again. */
export function questions(): { readonly script: Script; readonly next: (n: number) => void } {
  const script = new Script().created().ask('go').turn('m1').call('m1', 0, 'c0', { name: 'Ask' })
  const ask = (n: number) =>
    script.add('tool.approval_requested', {
      approval_id: `a${n}`,
      call_id: 'c0',
      name: 'Ask',
      kind: 'question',
      message: `question ${n}`,
      allow_edit: false,
      options: ['yes', 'no'],
    })
  ask(0)
  return {
    script,
    next(n) {
      script.add('tool.approval_resolved', {
        approval_id: `a${n - 1}`,
        call_id: 'c0',
        decision: 'approved',
        by: 'user',
      })
      ask(n)
    },
  }
}
