/** Client tools, server tools and conversations: the real program behind the engine, against the fake upstream. */
import { afterEach, describe, expect, test } from 'vitest'
import { CALLS, RESULTS, TAKEN_UP, WEATHER, weather } from './scripts.ts'
import { conversation, openStage, type Stage } from './stage.ts'

let stage: Stage
afterEach(async () => await stage.close())

async function answerBoth(): Promise<void> {
  await stage.answer('toolu_A2', 'no such city', true)
  await stage.answer('toolu_A1', 'sun')
}

describe('client tools', () => {
  test('parallel calls are all pending at once, and their answers reach the model together', async () => {
    stage = await openStage(WEATHER)
    await stage.open('weather?')
    expect((await stage.settle()).phase).toBe('paused')
    const [pause] = await stage.events('run.paused')
    expect(pause?.reason).toBe('client_tool_execution')
    expect(pause?.pending.map(item => [item.call_id, item.name, JSON.parse(item.input_text)])).toEqual([
      ['toolu_A1', 'get_weather', { city: 'Paris' }],
      ['toolu_A2', 'get_weather', { city: 'Oslo' }],
    ])
    await answerBoth()
    expect((await stage.settle()).phase).toBe('idle')
    expect((await stage.events('run.completed')).map(event => event.result_text)).toEqual(['Sun and rain.'])
    expect(stage.upstream.requests).toHaveLength(2)
    expect(conversation(stage.upstream, 1)).toEqual([
      { role: 'user', content: ['weather?'] },
      CALLS,
      { role: 'user', content: RESULTS },
    ])
  })

  test('a process that waited too long is released, and the answers go to a new one with the same history', async () => {
    stage = await openStage(WEATHER, { hotMs: 0 })
    await stage.open('weather?')
    await stage.settle()
    await stage.released()
    await answerBoth()
    expect((await stage.settle()).phase).toBe('idle')
    expect(stage.upstream.requests).toHaveLength(2)
    expect(conversation(stage.upstream, 1)).toEqual([
      { role: 'user', content: ['weather?'] },
      CALLS,
      { role: 'user', content: [...RESULTS, TAKEN_UP] },
    ])
  })

  test('a server that went down while it waited continues after its restart', async () => {
    stage = await openStage(WEATHER)
    await stage.open('weather?')
    await stage.settle()
    await stage.restart()
    await answerBoth()
    await stage.settle()
    expect((await stage.events('run.completed')).map(event => event.result_text)).toEqual(['Sun and rain.'])
    expect(conversation(stage.upstream, 1)).toEqual([
      { role: 'user', content: ['weather?'] },
      CALLS,
      { role: 'user', content: [...RESULTS, TAKEN_UP] },
    ])
  })

  test('a call that the program itself rejects ends with its message, and the run continues', async () => {
    stage = await openStage([
      {
        when: { turn: 1 },
        emit: [
          { type: 'tool_call', id: 'toolu_X', name: 'mcp__gateway__nothing', input: {} },
          weather('toolu_A1', 'Paris'),
        ],
      },
      { emit: [{ type: 'text', text: 'Never mind.' }] },
    ])
    await stage.open('weather?')
    expect((await stage.settle()).phase).toBe('paused')
    const [pause] = await stage.events('run.paused')
    expect(pause?.pending.map(item => item.call_id)).toEqual(['toolu_A1'])
    await stage.answer('toolu_A1', 'sun')
    await stage.settle()
    const [refused] = await stage.events('tool.completed')
    expect(refused).toMatchObject({ call_id: 'toolu_X', is_error: true })
    expect(refused?.output_text).toContain('nothing')
    expect((await stage.events('run.completed')).map(event => event.result_text)).toEqual(['Never mind.'])
  })

  test('ids that the provider uses twice stay apart in the log, and still find their handlers', async () => {
    stage = await openStage([
      { when: { turn: 3 }, emit: [{ type: 'text', text: 'Done.' }] },
      { emit: [weather('toolu_same', 'Paris')] },
    ])
    await stage.open('weather?')
    await stage.settle()
    await stage.answer('toolu_same', 'sun')
    await stage.settle()
    await stage.answer('toolu_same_2', 'rain')
    expect((await stage.settle()).phase).toBe('idle')
    expect((await stage.events('run.completed')).map(event => event.result_text)).toEqual(['Done.'])
  })
})

test('tools of the server run in the server, inside the answer', async () => {
  stage = await openStage([
    {
      when: { turn: 1 },
      emit: [{ type: 'tool_call', id: 'toolu_E', name: 'mcp__gateway__echo', input: { text: 'hi' } }],
    },
    { emit: [{ type: 'text', text: 'It said hi.' }] },
  ])
  await stage.open('say hi')
  await stage.settle()
  expect(await stage.events('tool.started')).toHaveLength(1)
  expect((await stage.events('tool.completed')).map(event => event.output_text)).toEqual(['echo: hi'])
  expect(conversation(stage.upstream, 1).at(-1)).toEqual({
    role: 'user',
    content: [{ result: 'toolu_E', text: ['echo: hi'] }],
  })
  expect((await stage.events('run.completed')).map(event => event.result_text)).toEqual(['It said hi.'])
})

describe('conversations', () => {
  test('the next message goes to the same process, and after a restart to one that knows as much', async () => {
    stage = await openStage([{ emit: [{ type: 'text', text: 'Hello.' }] }])
    await stage.open('one')
    await stage.settle()
    await stage.send('two')
    await stage.settle()
    await stage.restart()
    await stage.send('three')
    await stage.settle()
    const hello = { role: 'assistant', content: ['Hello.'] }
    const says = (text: string) => ({ role: 'user', content: [text] })
    expect(conversation(stage.upstream, 1)).toEqual([says('one'), hello, says('two')])
    expect(conversation(stage.upstream, 2)).toEqual([says('one'), hello, says('two'), hello, says('three')])
    expect(await stage.events('run.completed')).toHaveLength(3)
  })

  test('the session is bound to the id that the program sends to the provider, and costs are reported', async () => {
    stage = await openStage([{ emit: [{ type: 'text', text: 'Hello.' }] }])
    await stage.open('one')
    await stage.settle()
    const [bound] = await stage.events('session.bound')
    expect(bound?.provider).toBe('claude-agent-sdk')
    expect(stage.upstream.requests[0]?.headers['x-claude-code-session-id']).toBe(bound?.provider_session_id)
    const [done] = await stage.events('run.completed')
    expect(done?.cost_usd).toBeGreaterThan(0)
    expect(done?.usage_by_model[0]?.usage.output).toBeGreaterThan(0)
  })
})
