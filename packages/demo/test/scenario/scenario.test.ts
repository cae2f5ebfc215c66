import { readdir, readFile } from 'node:fs/promises'
import { AppError, type Model } from '@toolwire/core'
import { describe, expect, it } from 'vitest'
import { createDemoModel } from '../../src/demo/demo-model.ts'
import { loadScenario, parseScenario } from '../../src/scenario/load-scenario.ts'
import { ask, callsOf, converse, faultsOf, partsOf, read, readMessage } from '../demo/demo-harness.ts'

const folder = new URL('../../scenarios/', import.meta.url)
const shipped = async (name: string): Promise<Model> =>
  loadScenario(await readFile(new URL(`${name}.json`, folder), 'utf8'))
const refusal = (json: unknown): AppError => {
  try {
    parseScenario(json)
  } catch (error) {
    if (AppError.is(error)) return error
  }
  throw new Error('was not refused')
}

describe('shipped scenarios', () => {
  it('are these four, each legal from its first message', async () => {
    const files = (await readdir(folder)).sort()
    expect(files).toEqual(['approval.json', 'broken-call.json', 'client-tools.json', 'weather.json'])
    for (const file of files) {
      const model = await shipped(file.replace('.json', ''))
      expect(model.id).toBe(file.replace('.json', ''))
      expect(faultsOf(await partsOf(ask('hello'), model))).toEqual([])
    }
  })

  it('weather: two calls at once, then their results', async () => {
    const model = await shipped('weather')
    const { rounds, last } = await converse(ask('天气'), (_name, input) => JSON.stringify(input), model)
    expect(rounds[0]?.thinking).not.toBe('')
    expect(callsOf(rounds[0] ?? last)).toEqual([
      ['get_weather', { city: '沈阳' }],
      ['get_weather', { city: '台北' }],
    ])
    expect(last.text).toBe('查到了：\n{"city":"沈阳"}\n{"city":"台北"}')
    expect((await converse(ask('天气'), () => ({ error: 'down' }), model)).last.text).toContain(
      '没有回答：down',
    )
  })

  it('approval: one answer when it ran, another when it was denied', async () => {
    const model = await shipped('approval')
    expect((await converse(ask('go'), () => '', model)).last.text).toBe('Done: demo.txt exists.')
    expect((await converse(ask('go'), () => ({ error: 'not now' }), model)).last.text).toContain('not now')
  })

  it('client-tools: one tool after the other', async () => {
    const { rounds, last } = await converse(ask('go'), name => `${name} ok`, await shipped('client-tools'))
    expect(rounds.map(round => round.calls.map(call => call.name))).toEqual([
      ['set_temperature'],
      ['set_model'],
      [],
    ])
    expect(last.text).toBe('Your page answered: set_model ok')
  })

  it('broken-call: not JSON, then cut off, then a lost connection', async () => {
    const model = await shipped('broken-call')
    const { rounds, last } = await converse(ask('go'), () => ({ error: 'bad' }), model)
    expect(rounds[0]?.calls[0]?.input_text).toBe('{"command": "ls -la", oops}')
    expect(rounds[1]?.stop_reason).toBe('max_tokens')
    expect(last).toMatchObject({ error: 'model_unavailable', stop_reason: undefined })
  })
})

describe('scenario format', () => {
  const say = (text: string, when?: object) => ({ ...(when ? { when } : {}), emit: [{ type: 'text', text }] })

  it('takes the first turn whose conditions all hold', async () => {
    const model = loadScenario({
      name: 'x',
      turns: [
        say('both', { text_contains: 'RED', text_matches: '^a' }),
        say('one', { text_contains: 'red' }),
        say('rest'),
      ],
    })
    expect((await read(ask('a red one'), model)).text).toBe('both')
    expect((await read(ask('red'), model)).text).toBe('one')
    expect((await read(ask('blue'), model)).text).toBe('rest')
  })

  it('says so when no turn fits', async () => {
    const { text, stop_reason } = await read(
      ask('hello'),
      loadScenario({ name: 'x', turns: [say('later', { turn: 2 })] }),
    )
    expect(text).toContain('no turn fits message 1')
    expect(stop_reason).toBe('end_turn')
  })

  it('splits as configured, characters whole', async () => {
    const emit = [
      { type: 'text', text: 'ab🚀cd', chunk_size: 3 },
      { type: 'tool_call', name: 'T', input_text: '{"a":1}', chunks: ['{"', 'a":1}'], id: 'toolu_own' },
    ]
    const parts = await partsOf(ask(''), loadScenario({ name: 'x', turns: [{ emit }] }))
    expect(
      parts.flatMap(part => (part.type === 'block-delta' ? [part.text ?? part.input_text] : [])),
    ).toEqual(['ab🚀', 'cd', '', '{"', 'a":1}'])
    expect(readMessage(parts).calls[0]?.id).toBe('toolu_own')
  })

  it.each([
    [{ name: 'x', turns: [{ emit: [{ type: 'text' }] }] }, 'turns[0].emit[0].text'],
    [{ name: 'x', turns: [say('a'), say('b', { text_matches: '(' })] }, 'turns[1].when.text_matches'],
    [
      { name: 'x', turns: [{ emit: [{ type: 'tool_call', name: 'T', input: {}, input_text: '' }] }] },
      'turns[0].emit[0].input_text',
    ],
    [
      { name: 'x', turns: [{ emit: [{ type: 'text', text: 'ab', chunks: ['a'] }] }] },
      'turns[0].emit[0].chunks',
    ],
    [
      {
        name: 'x',
        turns: [
          {
            emit: [
              { type: 'error', code: 'c', message: '' },
              { type: 'text', text: '' },
            ],
          },
        ],
      },
      'turns[0].emit[0]',
    ],
    [{ turns: [say('a')] }, 'name'],
    [[], 'the file'],
  ])('names the bad field: %j', (json, path) => {
    const error = refusal(json)
    expect(error.code).toBe('bad_request')
    expect(error.message).toContain(`${path}:`)
  })

  it('names unknown fields and refuses what is not JSON', () => {
    expect(
      refusal({ name: 'x', turns: [{ emit: [{ type: 'text', text: '' }], wen: {} }] }).message,
    ).toContain('wen')
    expect(refusal('{').code).toBe('invalid_json')
  })

  it('lets the demo model play scenarios of its owner', async () => {
    const model = createDemoModel({ paceMs: 0, scenarios: [{ name: 'mine', turns: [say('hi {{text}}')] }] })
    expect((await read(ask('/scenario mine there'), model)).text).toBe('hi there')
  })

  it('is what the documentation shows', async () => {
    const page = await readFile(new URL('../../../../docs/demo-model.md', import.meta.url), 'utf8')
    const example = /```json\n([\s\S]*?)```/.exec(page)?.[1]
    const model = loadScenario(example)
    const { rounds, last } = await converse(ask('Where is order 42?'), () => 'shipped yesterday', model)
    expect(callsOf(rounds[0] ?? last)).toEqual([['find_order', { id: 42 }]])
    expect(last.text).toContain('shipped yesterday')
  })
})
