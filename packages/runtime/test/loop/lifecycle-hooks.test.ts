/** Hooks of sessions and runs: when they are asked, what they decide, and that a crash has none asked twice. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelRequest, Rec, SessionEvent, Store } from '@toolwire/core'
import { createMemoryStore, openSqliteStore } from '@toolwire/store'
import type { HooksConfig } from '@toolwire/tools'
import { describe, expect, test, vi } from 'vitest'
import { checkLog } from './crash-checks.ts'
import { type AskedHook, answering } from './hook-stage.ts'
import { promptFor, type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import { essence, message, opening, openStage, playOut, readAll, SESSION, seed } from './stage.ts'

const POKE: ScriptedTurn = { calls: [{ name: 'poke', input: { at: 'x' } }] }

interface Played {
  readonly seen: ModelRequest[]
  readonly records: readonly Rec[]
  readonly events: readonly SessionEvent[]
  readonly end: unknown
  readonly effects: Map<string, number>
}

async function play(
  hooks: HooksConfig,
  turns: readonly ScriptedTurn[] = [],
  events = opening('go'),
  store: Store = createMemoryStore(),
): Promise<Played> {
  const seen: ModelRequest[] = []
  const stage = openStage(store, scriptedModel(turns, seen), new Map(), { hooks })
  await seed(store, events)
  const state = await playOut(stage)
  await stage.runtime.stop()
  const records = await readAll(store)
  checkLog(records)
  return { seen, records, events: records.map(({ ev }) => ev), end: essence(state), effects: stage.effects }
}

const ofType = <T extends SessionEvent['type']>(events: readonly SessionEvent[], type: T) =>
  events.flatMap(ev => (ev.type === type ? [ev as Extract<SessionEvent, { type: T }>] : []))
const textOf = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages)

describe('when hooks are asked', () => {
  test('in the order of the run, each once, with the session and the run', async () => {
    const { hooks, asked, names } = answering([
      'session_start',
      'message',
      'before_tool',
      'permission_request',
      'after_tool',
      'after_tool_batch',
      'before_stop',
      'run_end',
      'notification',
    ])
    await play(hooks, [POKE])
    // Reports are not waited for.
    await vi.waitFor(() => expect(names()).toContain('run_end'))
    expect(names()).toEqual([
      'session_start',
      'message',
      'before_tool',
      'permission_request',
      'notification',
      'after_tool',
      'after_tool_batch',
      'before_stop',
      'run_end',
    ])
    for (const event of asked)
      expect(event).toMatchObject({ session_id: SESSION, cwd: '/', permission_mode: 'default' })
    expect(asked[1]).toMatchObject({ message_id: 'in_run-1', text: 'go', run_id: 'run-1' })
    expect(asked[3]).toMatchObject({ tool: 'poke', input: { at: 'x' } })
    expect(asked[4]).toMatchObject({ reason: 'tool_approval_required', pending: [{ name: 'poke' }] })
    expect(asked[6]).toMatchObject({ calls: [{ tool: 'poke', is_error: false }] })
    expect(asked[7]).toMatchObject({ result_text: 'The end.', times: 0 })
    expect(asked[8]).toMatchObject({ status: 'completed', result_text: 'The end.' })
  })

  test('the start of a session is asked about once, its messages each', async () => {
    const { hooks, names } = answering(['session_start', 'message'])
    await play(hooks, [], [...opening('go'), message('again', 'run-2')])
    expect(names()).toEqual(['session_start', 'message', 'message'])
  })

  test('those of a subagent know it, and its messages are no person', async () => {
    const prompt = promptFor([{ calls: [] }])
    const { hooks, asked, names } = answering(['agent_start', 'agent_stop', 'message', 'before_stop'])
    await play(hooks, [{ calls: [{ name: 'Agent', input: { prompt, subagent_type: 'explore' } }] }])
    expect(names()).toEqual(['message', 'agent_start', 'agent_stop', 'before_stop'])
    expect(asked[1]).toMatchObject({ agent_type: 'explore', prompt })
    expect(asked[1]?.['agent_run_id']).toMatch(/^agent_/)
  })

  test('a session without hooks has no facts about them', async () => {
    expect(ofType((await play({})).events, 'hook.answered')).toEqual([])
  })
})

describe('what hooks decide', () => {
  test('words reach the model as notices of the server, behind the message and behind the results', async () => {
    const say = ({ event }: AskedHook) => ({ context: `from ${event}` })
    const { hooks } = answering(['session_start', 'message', 'after_tool_batch'], say)
    const { seen, events } = await play(hooks, [{ calls: [{ name: 'peek', input: { at: 'x' } }] }])
    const roles = seen.at(-1)?.messages.map(({ role }) => role)
    expect(roles).toEqual(['user', 'system', 'system', 'assistant', 'tool', 'system'])
    expect(textOf(seen[0])).toMatch(/from session_start[\s\S]*from message/)
    expect(textOf(seen[0])).not.toContain('after_tool_batch')
    expect(textOf(seen[1])).toContain('from after_tool_batch')
    expect(ofType(events, 'hook.answered').map(({ hook, event }) => [hook, event])).toEqual([
      ['guard', 'session_start'],
      ['guard', 'message'],
      ['guard', 'after_tool_batch'],
    ])
  })

  test('a blocked message ends its run with the reason, and no model ever gets it', async () => {
    const block = ({ text }: AskedHook) =>
      text === 'the secret plan' ? { decision: 'block', reason: 'No secrets here.' } : undefined
    const { hooks } = answering(['message'], block)
    const { seen, events } = await play(hooks, [], [...opening('the secret plan'), message('hello', 'run-2')])
    const [failed] = ofType(events, 'run.failed')
    expect(failed?.error).toMatchObject({ code: 'message_blocked', message: 'No secrets here.' })
    // The next message waits, as after every run that failed.
    expect(failed?.queue_held).toEqual(['in_run-2'])
    expect(seen).toEqual([])
    const later = await play(hooks, [], [...opening('the secret plan'), { ...message('x', 'run-2') }])
    expect(later.seen).toEqual([])
  })

  test('the message after a blocked one is answered without it', async () => {
    const { hooks } = answering(['message'], ({ text }) =>
      text === 'bad' ? { decision: 'block', reason: 'no' } : undefined,
    )
    const store = createMemoryStore()
    const seen: ModelRequest[] = []
    const stage = openStage(store, scriptedModel([], seen), new Map(), { hooks })
    await seed(store, opening('bad'))
    await playOut(stage)
    await store.append([{ session: SESSION, events: [message('good', 'run-2')], state: 'running' }])
    await playOut(stage)
    await stage.runtime.stop()
    expect(seen).toHaveLength(1)
    expect(textOf(seen[0])).toContain('good')
    expect(textOf(seen[0])).not.toContain('bad')
  })

  test('a message that steers is asked about before its delivery, and withdrawn with the reason when blocked', async () => {
    const { hooks } = answering(['message'], ({ text }) =>
      text === 'bad' ? { decision: 'block', reason: 'no' } : undefined,
    )
    const steer = (text: string, run: string) => ({ ...message(text, run), when_running: 'steer' }) as const
    const { events, seen } = await play(
      hooks,
      [{ calls: [{ name: 'peek', input: { at: 'x' } }] }],
      [...opening('go'), steer('bad', 'run-2'), steer('good', 'run-3')],
    )
    expect(ofType(events, 'input.withdrawn')).toMatchObject([
      { message_id: 'in_run-2', by: 'hook', reason: 'no' },
    ])
    expect(ofType(events, 'input.delivered').map(ev => ev.message_id)).toEqual(['in_run-3'])
    expect(textOf(seen.at(-1))).not.toContain('bad')
  })

  test('what rules leave open a hook allows or denies without a person', async () => {
    const allow = answering(['permission_request', 'notification'], () => ({ decision: 'allow' }))
    const allowed = await play(allow.hooks, [POKE])
    expect(allow.names()).toEqual(['permission_request'])
    expect([...allowed.effects.values()]).toEqual([1])
    expect(ofType(allowed.events, 'tool.approval_requested')).toEqual([])
    const deny = answering(['permission_request'], () => ({ decision: 'deny', reason: 'not now' }))
    const denied = await play(deny.hooks, [POKE])
    expect(denied.effects.size).toBe(0)
    expect(ofType(denied.events, 'tool.failed')[0]?.error).toMatchObject({ code: 'denied_hook' })
    expect(textOf(denied.seen.at(-1))).toContain('not now')
  })

  test('a denial is reported with its reason, and the hook may add words', async () => {
    const { hooks, asked } = answering(['permission_request', 'permission_denied'], ({ event }) =>
      event === 'permission_request' ? { decision: 'deny', reason: 'not now' } : { context: 'use peek' },
    )
    const { seen } = await play(hooks, [POKE])
    expect(asked.at(-1)).toMatchObject({ event: 'permission_denied', tool: 'poke', reason: 'not now' })
    expect(textOf(seen.at(-1))).toContain('use peek')
  })

  test('a question of a call is answered by a hook; without an answer a person is asked', async () => {
    const { hooks, asked } = answering(['elicitation'], ({ tool }) =>
      tool === 'form' ? { answer: 'red' } : undefined,
    )
    const { events } = await play(hooks, [
      { calls: [{ name: 'form', input: { at: 'x' } }] },
      { calls: [{ name: 'quiz', input: { at: 'x' } }] },
    ])
    expect(asked.map(({ tool, message: text }) => [tool, text])).toEqual([
      ['form', 'Which one?'],
      ['quiz', 'Sure?'],
    ])
    expect(ofType(events, 'input.approval').map(({ by }) => by)).toEqual(['hook', undefined])
    expect(ofType(events, 'run.paused')).toHaveLength(1)
  })

  test('a run is sent on with a reason, and at most three times', async () => {
    const more = answering(['before_stop'], () => ({ decision: 'continue', reason: 'Run the tests.' }))
    const { events, seen } = await play(more.hooks)
    expect(seen).toHaveLength(4)
    expect(more.asked.map(({ times }) => times)).toEqual([0, 1, 2])
    expect(textOf(seen[1])).toContain('Run the tests.')
    expect(ofType(events, 'run.completed')).toHaveLength(1)
    expect(ofType(events, 'run.started')).toHaveLength(1)
  })

  test('a subagent is sent on too', async () => {
    const prompt = promptFor([{ calls: [] }])
    const more = answering(['agent_stop'], ({ times }) =>
      times === 0 ? { decision: 'continue', reason: 'Look again.' } : undefined,
    )
    const { seen } = await play(more.hooks, [{ calls: [{ name: 'Agent', input: { prompt } }] }])
    expect(seen.filter(request => textOf(request).includes('Look again.'))).toHaveLength(1)
  })

  test.each([
    'session_start',
    'message',
    'before_tool',
    'after_tool',
    'after_tool_batch',
    'before_stop',
  ] as const)('an answer of %s that stops the run cancels it with the reason', async event => {
    const { hooks } = answering([event], () => ({ stop: 'enough' }))
    const { events } = await play(hooks, [{ calls: [{ name: 'peek', input: { at: 'x' } }] }])
    expect(ofType(events, 'run.cancelled')).toMatchObject([{ reason: 'enough' }])
    expect(ofType(events, 'input.cancel')).toMatchObject([{ by: 'hook' }])
  })

  test('the run of a gateway gets no words, and is not sent on', async () => {
    const { hooks, names } = answering(['session_start', 'before_stop'], ({ event }) =>
      event === 'before_stop' ? { decision: 'continue', reason: 'more' } : { context: 'words' },
    )
    const [created, first] = opening('go')
    if (!created || !first) throw new Error('no opening')
    const { seen } = await play(
      hooks,
      [],
      [created, { ...first, via: { protocol: 'openai-chat' } } as SessionEvent],
    )
    expect(names()).toEqual(['session_start', 'before_stop'])
    expect(seen.map(textOf)).toHaveLength(1)
    expect(textOf(seen[0])).not.toContain('words')
  })
})

describe('hooks that fail', () => {
  test('are left out and noted; what may block then blocks where it should', async () => {
    const { hooks } = answering(['message', 'before_stop'], () => {
      throw new Error('broken')
    })
    const { events } = await play(hooks)
    expect(ofType(events, 'hook.answered').map(ev => ev.effect.problem)).toEqual([
      'guard failed: broken',
      'guard failed: broken',
    ])
    expect(ofType(events, 'run.completed')).toHaveLength(1)
    const [hook] = hooks.message ?? []
    if (!hook) throw new Error('no hook')
    const blocked = await play({ message: [{ ...hook, on_failure: 'block' }] })
    expect(ofType(blocked.events, 'run.failed')[0]?.error.code).toBe('message_blocked')
    expect(JSON.stringify(ofType(blocked.events, 'run.failed')[0]?.error)).not.toContain('broken')
  })

  test('an answer with a field or decision of another event is a failure', async () => {
    const { hooks } = answering(['message'], () => ({ decision: 'deny' }))
    const { events } = await play(hooks)
    expect(ofType(events, 'hook.answered')[0]?.effect.problem).toContain('another form')
    expect(ofType(events, 'run.completed')).toHaveLength(1)
  })
})

const stores: Readonly<Record<string, () => Promise<{ store: Store; done: () => Promise<void> }>>> = {
  memory: async () => ({ store: createMemoryStore(), done: async () => {} }),
  async sqlite() {
    const dir = mkdtempSync(join(tmpdir(), 'toolwire-hooks-'))
    const store = await openSqliteStore({ dir })
    return {
      store,
      async done() {
        await store.close()
        rmSync(dir, { recursive: true, force: true })
      },
    }
  },
}

describe.each(Object.keys(stores))('%s', name => {
  test('kill after every event of a run with hooks, restart, same end, and none is asked twice', async () => {
    const turns: readonly ScriptedTurn[] = [
      { calls: [{ name: 'peek', input: { at: 'x' } }] },
      { calls: [{ name: 'Agent', input: { prompt: promptFor([{ calls: [] }]) } }] },
      { calls: [{ name: 'form', input: { at: 'x' } }] },
    ]
    const events = [
      'session_start',
      'message',
      'agent_start',
      'agent_stop',
      'after_tool_batch',
      'permission_request',
      'elicitation',
      'before_stop',
    ] as const
    const answer = ({ event, times }: AskedHook): unknown => {
      switch (event) {
        case 'before_stop':
        case 'agent_stop':
          return times === 0 ? { decision: 'continue', reason: `more of ${event}` } : undefined
        case 'elicitation':
          return { answer: 'red' }
        case 'permission_request':
          return { decision: 'allow' }
        default:
          return { context: `words of ${event}` }
      }
    }
    const open = stores[name]
    if (!open) throw new Error('no store')
    const first = answering(events, answer)
    const full = await play(first.hooks, turns)
    expect(new Set(first.names())).toEqual(new Set(events.filter(one => one !== 'permission_request')))
    for (let cut = 2; cut < full.records.length; cut += 1) {
      const prefix = full.records.slice(0, cut).map(({ ev }) => ev)
      const again = answering(events, answer)
      const { store, done } = await open()
      const resumed = await play(again.hooks, turns, prefix, store)
      await done()
      expect([cut, resumed.end]).toEqual([cut, full.end])
      const facts = ofType(resumed.events, 'hook.answered').map(({ event, sha256 }) => `${event} ${sha256}`)
      expect(new Set(facts).size, `cut ${cut}`).toBe(facts.length)
      const before = ofType(prefix, 'hook.answered').length
      expect(again.asked.length, `asked after cut ${cut}`).toBe(facts.length - before)
    }
  })
})
