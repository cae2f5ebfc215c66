/** The outcomes of `append` for each result of the store, and the order in which it does things. */
import {
  AppError,
  type Append,
  type AppendResult,
  NO_FACTS,
  type Rec,
  type SessionEvent,
} from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { append, type Draft } from '../src/append.ts'
import { draftCancel, draftMessage, draftSession, toIndex } from '../src/index.ts'

const ts = '2026-01-01T00:00:00.000Z'
const note = (name: string): SessionEvent => ({ type: 'note', ts, name, value: 1 })
const write: Append = { session: 's', events: [note('a'), note('b')], key: 'k' }

interface Scripted {
  readonly steps: string[]
  readonly deps: Parameters<typeof append>[0]
}

/** A store with these results, one list per call; its log holds `recorded` at every position. */
function scripted(results: readonly (readonly AppendResult[])[], recorded?: SessionEvent): Scripted {
  const steps: string[] = []
  const left = [...results]
  return {
    steps,
    deps: {
      store: {
        async append(writes) {
          steps.push(`append ${writes.map(one => one.session).join(' ')}`)
          return left.shift() ?? []
        },
        async read(_session, after) {
          steps.push(`read ${after}`)
          return recorded ? [{ seq: after + 1, epoch: 0, ev: recorded } as Rec] : []
        },
      },
      audit: {
        async plan({ session }) {
          steps.push(`plan ${session}`)
          return {
            async settle(isWritten) {
              steps.push(`settle ${isWritten}`)
            },
          }
        },
      },
      runtime: { wake: session => steps.push(`wake ${session}`) },
    },
  }
}

const draft: Draft = { writes: [write], wakes: true }
const create: Draft = { writes: [{ session: 's', create: true, events: [note('a')] }], wakes: false }

describe('append', () => {
  it('plans, writes, settles and wakes in this order, and returns the seq of the first event', async () => {
    const { steps, deps } = scripted([[{ head: 9 }]])
    const beforeAppend = async (session: string) => void steps.push(`before ${session}`)
    const receipt = await append(deps, { ...draft, beforeAppend })
    expect(steps).toEqual(['before s', 'plan s', 'append s', 'settle true', 'wake s'])
    expect(receipt).toEqual({ session: 's', items: [{ seq: 8, isFirst: true }] })
  })

  it('writes nothing when the plan cannot be saved', async () => {
    const { steps, deps } = scripted([[{ head: 9 }]])
    const beforeAppend = async () => await Promise.reject(new Error('full'))
    await expect(append(deps, { ...draft, beforeAppend })).rejects.toThrow('full')
    expect(steps).toEqual([])
  })

  it('returns what was recorded under a repeated key, and wakes the runtime again', async () => {
    const { steps, deps } = scripted([[{ dup: 4 }]], note('old'))
    const receipt = await append(deps, draft)
    expect(receipt.items).toEqual([{ seq: 4, isFirst: false, recorded: note('old') }])
    expect(steps).toEqual(['plan s', 'append s', 'settle false', 'wake s', 'read 3'])
  })

  it('throws the error of a comparison', async () => {
    const { deps } = scripted([[{ dup: 4 }]], note('old'))
    const compare = () => new AppError('already_answered')
    await expect(append(deps, { ...draft, compare })).rejects.toMatchObject({ code: 'already_answered' })
  })

  it('wakes the runtime when the audit of a stored decision fails', async () => {
    const { steps, deps } = scripted([[{ head: 9 }]])
    const audit = { plan: async () => ({ settle: async () => await Promise.reject(new Error('full')) }) }
    await expect(append({ ...deps, audit }, draft)).rejects.toThrow('full')
    expect(steps).toEqual(['append s', 'wake s'])
  })

  it.each([
    [draft, { missing: 'never' }, 'session_not_found'],
    [draft, { missing: 'deleted' }, 'session_deleted'],
    [draft, { conflict: 3 }, 'conflict'],
    [create, { missing: 'deleted' }, 'session_deleted'],
    [create, { conflict: 3 }, 'session_exists'],
  ] as const)('rejects %#', async (given, result, code) => {
    const { deps } = scripted([[result]], note('old'))
    await expect(append(deps, given)).rejects.toMatchObject({ code })
  })

  it('compares an id that is taken with its first record', async () => {
    const { steps, deps } = scripted([[{ conflict: 3 }]], note('old'))
    const receipt = await append(deps, { ...create, compare: () => undefined })
    expect(receipt.items).toEqual([{ seq: 1, isFirst: false, recorded: note('old') }])
    expect(steps).toContain('read 0')
  })

  it('creates the session elsewhere when its id is taken, with a separate plan', async () => {
    const { steps, deps } = scripted([[{ conflict: 3 }, { head: 5 }], [{ head: 1 }]])
    const beforeAppend = async (session: string) => void steps.push(`before ${session}`)
    const also = [{ session: 'other', events: [note('c')] }]
    const fallback = { ...create, also, wakes: true, fallbackId: () => 't', beforeAppend }
    const { audit: _, ...silent } = deps
    expect(await append(silent, fallback)).toEqual({ session: 't', items: [{ seq: 1, isFirst: true }] })
    expect(steps).toEqual([
      'before s',
      'append s other',
      'wake s',
      'wake other',
      'before t',
      'append t',
      'wake t',
    ])
  })
})

describe('drafts', () => {
  const message = {
    type: 'input.message',
    ts,
    run_id: 'r',
    message_id: 'm',
    role: 'user',
    content: [{ type: 'text', text: 'Hello\nthere' }],
  } as const

  it('a message gives an untitled session its title, once', () => {
    const event = { ...message, content: [...message.content] }
    const [first] = draftMessage('s', event, NO_FACTS).writes
    expect(first).toEqual({
      session: 's',
      events: [event],
      state: 'running',
      index: { text: 'Hello\nthere', title: 'Hello' },
    })
    const [second] = draftMessage('s', event, { ...NO_FACTS, conversations: 1 }).writes
    expect(second?.index).toEqual({ text: 'Hello\nthere' })
  })

  it('titles are truncated at whole characters, and search text is bounded', () => {
    const { title, text } = toIndex([{ type: 'text', text: '🙂'.repeat(20_000) }], false)
    expect(title).toBe(`${'🙂'.repeat(80)}…`)
    expect(text).toHaveLength(10_000)
  })

  it('a session has its title and its labels', () => {
    const created = {
      type: 'session.created',
      ts,
      cwd: '/w',
      model: 'demo',
      tools: [],
      permission_mode: 'default',
      title: 'T',
    } as const
    const draftOf = draftSession('s', { ...created, tools: [] })
    expect(draftOf.writes[0]).toMatchObject({
      create: true,
      state: 'idle',
      index: { title: 'T', labels: { workspace: '/w', model: 'demo' } },
    })
    expect(draftOf.wakes).toBe(false)
  })

  it('a cancel names its reason and wakes the runtime', () => {
    expect(draftCancel('s', 'why', { ts, run_id: 'r' })).toEqual({
      writes: [
        {
          session: 's',
          events: [{ type: 'input.cancel', ts, run_id: 'r', reason: 'why', by: 'client' }],
          state: 'running',
        },
      ],
      wakes: true,
    })
  })
})
