/** Cancels, cuts, refusals and absence: what goes wrong with a real program, and what the log shows of it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionEvent } from '@toolwire/core'
import { afterEach, describe, expect, test } from 'vitest'
import { CALLS, WEATHER, weather } from './scripts.ts'
import { conversation, openStage, type Stage, type Turn } from './stage.ts'

let stage: Stage
afterEach(async () => await stage.close())

const cancel: SessionEvent = {
  type: 'input.cancel',
  ts: '2026-01-01T00:00:00.000Z',
  reason: 'enough',
  by: 'user',
}

const SLOW_UNLESS_QUICK: readonly Turn[] = [
  { when: { text_contains: 'quick' }, emit: [{ type: 'text', text: 'Quick.' }] },
  {
    emit: [
      { type: 'text', text: 'It takes ' },
      { type: 'delay', ms: 60_000 },
      { type: 'text', text: 'long.' },
    ],
  },
]

describe('cancel', () => {
  test('while calls wait: no further model request, and the next message continues from the log', async () => {
    stage = await openStage(WEATHER)
    await stage.open('weather?')
    await stage.settle()
    await stage.append(cancel)
    await stage.settle()
    await stage.released()
    expect(await stage.events('run.cancelled')).toHaveLength(1)
    expect(stage.upstream.requests).toHaveLength(1)
    await stage.send('never mind')
    expect((await stage.settle()).phase).toBe('idle')
    expect(stage.upstream.requests).toHaveLength(2)
    const history = conversation(stage.upstream, 1)
    expect(history.slice(0, 2)).toEqual([{ role: 'user', content: ['weather?'] }, CALLS])
    expect(JSON.stringify(history.at(-1))).toContain('never mind')
    expect(JSON.stringify(history)).toContain('interrupted')
  })

  test('in the middle of a message: it is marked, the process is gone, and nothing more is asked', async () => {
    stage = await openStage(SLOW_UNLESS_QUICK)
    await stage.open('slow please')
    await stage.until(event => event.type === 'block.delta')
    await stage.append(cancel)
    await stage.settle()
    await stage.released()
    expect((await stage.events('message.aborted')).map(event => event.reason)).toEqual(['cancelled'])
    expect(await stage.events('run.cancelled')).toHaveLength(1)
    expect(stage.upstream.requests).toHaveLength(1)
    await stage.send('quick please')
    await stage.settle()
    expect((await stage.events('run.completed')).map(event => event.result_text)).toEqual(['Quick.'])
  })
})

describe('a connection that breaks', () => {
  const text = async (): Promise<string> => {
    const state = await stage.settle()
    return state.messages
      .flatMap(message => (message.role === 'assistant' ? message.content : []))
      .map(part => (part.type === 'text' ? part.text : `[${part.type}]`))
      .join('')
  }

  test.for(['cut-frame;after=4', 'cut-frame;after=12', 'error-event;after=4', 'cut-clean;after=4'])(
    'leaves no text twice in the conversation: %s',
    async fault => {
      stage = await openStage(WEATHER)
      stage.upstream.strike(fault)
      await stage.open('weather?')
      expect((await stage.settle()).phase).toBe('paused')
      expect(stage.upstream.requests.length).toBeGreaterThan(1)
      // A connection that dies may take with it what had arrived; one that ends does not.
      if (!fault.startsWith('cut-frame')) expect(await stage.events('message.aborted')).toHaveLength(1)
      expect(await text()).toMatch(/^(\[thinking\])?Let me look\.\[tool_use\]\[tool_use\]$/)
      // A call of the broken message may have used an id up.
      for (const item of (await stage.events('run.paused')).at(-1)?.pending ?? [])
        await stage.answer(item.call_id, 'sun')
      await stage.settle()
      expect((await stage.events('run.completed')).map(event => event.result_text)).toEqual(['Sun and rain.'])
    },
  )

  test('after a complete call keeps the call', async () => {
    const call = { ...weather('toolu_A1', 'Paris'), chunk_size: 1000 }
    stage = await openStage([
      {
        when: { turn: 1 },
        emit: [call, { type: 'text', text: 'And', chunk_size: 1000 }],
        stop_reason: 'tool_use',
      },
      { emit: [{ type: 'text', text: 'Sunny.' }] },
    ])
    stage.upstream.strike('cut-clean;after=9')
    await stage.open('weather?')
    await stage.settle()
    expect((await stage.events('turn.completed')).map(event => event.stop_reason)).toEqual(['stream_broken'])
    await stage.answer('toolu_A1', 'sun')
    await stage.settle()
    expect((await stage.events('run.completed')).map(event => event.result_text)).toEqual(['Sunny.'])
  })

  test('is borne when the provider is only busy', async () => {
    stage = await openStage([{ emit: [{ type: 'text', text: 'Hello.' }] }])
    stage.upstream.strike('529;times=2')
    await stage.open('one')
    await stage.settle()
    expect((await stage.events('run.completed')).map(event => event.result_text)).toEqual(['Hello.'])
    expect(stage.upstream.requests).toHaveLength(3)
  })
})

describe('a process that dies', () => {
  test('while it waits is not missed', async () => {
    stage = await openStage(WEATHER)
    await stage.open('weather?')
    await stage.settle()
    await stage.killProcess()
    await stage.released()
    await stage.answer('toolu_A1', 'sun')
    await stage.answer('toolu_A2', 'rain')
    await stage.settle()
    expect((await stage.events('run.completed')).map(event => event.result_text)).toEqual(['Sun and rain.'])
  })

  test('in the middle of a message fails the run, and the next message finds a new one', async () => {
    stage = await openStage(SLOW_UNLESS_QUICK)
    await stage.open('slow please')
    await stage.until(event => event.type === 'block.delta')
    await stage.killProcess()
    await stage.settle()
    expect((await stage.events('run.failed')).map(event => event.error.code)).toEqual(['model_unavailable'])
    await stage.send('quick please')
    await stage.settle()
    expect((await stage.events('run.completed')).map(event => event.result_text)).toEqual(['Quick.'])
  })
})

test('a refusal ends the run as one, and the session can continue', async () => {
  stage = await openStage([
    { when: { text_contains: 'else' }, emit: [{ type: 'text', text: 'Gladly.' }] },
    { emit: [{ type: 'text', text: 'I cannot.' }], stop_reason: 'refusal' },
  ])
  await stage.open('do it')
  await stage.settle()
  await stage.send('something else then')
  await stage.settle()
  const ends = await stage.events('run.completed')
  expect(ends.map(event => [event.finish, event.result_text])).toEqual([
    ['refusal', 'I cannot.'],
    ['stop', 'Gladly.'],
  ])
  expect(JSON.stringify(conversation(stage.upstream, -1))).not.toContain('API Error')
})

describe('problems that only a user can fix', () => {
  test('a rejected key fails the run at once, and the session works when the key does', async () => {
    stage = await openStage([{ emit: [{ type: 'text', text: 'Hello.' }] }])
    stage.upstream.strike('401')
    await stage.open('one')
    await stage.settle()
    const [failed] = await stage.events('run.failed')
    expect(failed?.error).toMatchObject({ code: 'model_auth', http_status: 401, retryable: false })
    await stage.send('two')
    await stage.settle()
    expect((await stage.events('run.completed')).map(event => event.result_text)).toEqual(['Hello.'])
  })

  test('a package that is not there is named, with how to install it', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'toolwire-nothing-'))
    stage = await openStage([{ emit: [{ type: 'text', text: 'Hello.' }] }], { folder: empty })
    await stage.open('one')
    await stage.settle()
    await rm(empty, { recursive: true })
    const [failed] = await stage.events('run.failed')
    expect(failed?.error.code).toBe('model_unavailable')
    expect(failed?.error.message).toContain('npm install @anthropic-ai/claude-agent-sdk')
  })

  test('a model of another vendor is refused', async () => {
    stage = await openStage([{ emit: [{ type: 'text', text: 'Hello.' }] }])
    await stage.open('one', { model: 'openai/gpt-5' })
    await stage.settle()
    const [failed] = await stage.events('run.failed')
    expect(failed?.error.code).toBe('unknown_model')
    expect(stage.upstream.requests).toHaveLength(0)
  })
})
