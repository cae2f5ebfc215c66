import { type Schema, Validator } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import { SHOWCASES } from '../../src/demo/answer/showcases.ts'
import {
  ask,
  BUILTIN,
  CLIENT,
  callsOf,
  converse,
  faultsOf,
  named,
  partsOf,
  read,
  user,
} from './demo-harness.ts'

const tools = [...BUILTIN, ...CLIENT]
const show = (said: string) => read(ask(said, { tools }))
const isValid = (name: string, input: unknown) =>
  new Validator(tools.find(tool => tool.name === name)?.input_schema ?? false, '2020-12').validate(input)
    .valid

describe('slash commands', () => {
  it.each(Object.keys(SHOWCASES))('/%s streams legally with and without tools', async name => {
    const said = name === 'slow' ? '/slow 0' : name === 'scenario' ? '/scenario weather' : `/${name}`
    for (const offered of [tools, [], named('get_weather')])
      expect(faultsOf(await partsOf(ask(said, { tools: offered })))).toEqual([])
  })

  it('/help lists every command in both languages', async () => {
    const { text } = await show('/help')
    for (const command of Object.values(SHOWCASES))
      for (const part of [command.usage, command.en, command.zh]) expect(text).toContain(part)
  })

  it('/parallel makes as many valid calls as asked', async () => {
    const calls = callsOf(await show('/parallel 5'))
    expect(calls).toHaveLength(5)
    expect(calls.every(([name, input]) => isValid(name, input))).toBe(true)
  })

  it.each([
    ['/big', 200],
    ['/big 50', 50],
  ])('%s sends a valid input of that size', async (said, kilobytes) => {
    const message = await show(said)
    const [[name, input] = ['', {}]] = callsOf(message)
    expect(name).toBe('Write')
    expect(isValid(name, input)).toBe(true)
    expect(Buffer.byteLength(message.calls[0]?.input_text ?? '')).toBeGreaterThanOrEqual(kilobytes * 1024)
  })

  it('/big respects a length limit of the first tool with a string', async () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' }, note: { type: 'string', maxLength: 10 } },
      required: ['n', 'note'],
    }
    const [[, input] = []] = callsOf(
      await read(ask('/big', { tools: [{ name: 'note_it', input_schema: schema }] })),
    )
    expect(new Validator(schema as Schema, '2020-12').validate(input).valid).toBe(true)
  })

  it('/badjson sends arguments that are not JSON', async () => {
    const { calls, stop_reason } = await show('/badjson')
    expect(() => JSON.parse(calls[0]?.input_text ?? '')).toThrow(SyntaxError)
    expect(stop_reason).toBe('tool_use')
  })

  it('/maxtokens ends inside a call', async () => {
    const { calls, stop_reason } = await show('/maxtokens')
    expect(() => JSON.parse(calls[0]?.input_text ?? '')).toThrow(SyntaxError)
    expect(stop_reason).toBe('max_tokens')
  })

  it('/invalid breaks the schema, /unknown the list of tools', async () => {
    const [[name, input] = ['', {}]] = callsOf(await show('/invalid'))
    expect(isValid(name, input)).toBe(false)
    const [[unknown] = ['']] = callsOf(await show('/unknown'))
    expect(tools.some(tool => tool.name === unknown)).toBe(false)
  })

  it('/refuse, /think, /ask, /client, /fail and /error do what they say', async () => {
    expect((await partsOf(ask('/refuse'))).at(-1)).toMatchObject({
      stop_reason: 'refusal',
      finish: 'refusal',
      stop_details: { type: 'refusal' },
    })
    expect((await show('/think')).thinking).not.toBe('')
    expect(callsOf(await show('/ask'))).toEqual([
      ['Bash', { command: 'touch demo.txt', description: 'Create demo.txt' }],
    ])
    expect(callsOf(await show('/client 0.4'))).toEqual([['set_temperature', { value: 0.4 }]])
    expect(await show('/fail model_rate_limited')).toMatchObject({
      error: 'model_rate_limited',
      stop_reason: undefined,
    })
    expect(callsOf(await show('/error'))).toEqual([['Read', { file_path: '/no/such/file.txt' }]])
  })

  it('answers after the results of a command and does not repeat it', async () => {
    const { rounds, last } = await converse(ask('/error', { tools }), () => ({
      error: 'File does not exist.',
    }))
    expect(rounds).toHaveLength(2)
    expect(last.text).toContain('File does not exist.')
  })

  it('speaks the language spoken before', async () => {
    const { text } = await read(ask('', { messages: [user('你好'), user('/think')] }))
    expect(text).toContain('我先想了想')
  })

  it('takes a path for a path', async () => {
    expect((await show('/etc/hosts')).text).not.toContain('/help`:')
    expect((await show('/nosuch')).text).toContain('There is no command /nosuch')
  })

  it('/scenario plays on over later messages until it is switched off', async () => {
    const first = await show('/scenario client-tools')
    expect(callsOf(first)).toEqual([['set_temperature', { value: 0.8 }]])
    const { rounds, last } = await converse(ask('/scenario client-tools', { tools }), name => `${name} done`)
    expect(rounds).toHaveLength(3)
    expect(last.text).toBe('Your page answered: set_model done')
    const later = ask('', {
      messages: [
        user('/scenario client-tools'),
        { role: 'assistant', message_id: 'm', provider: 'demo', model: 'demo', content: [] },
        user('and now?'),
      ],
    })
    expect((await read(later)).text).toBe('You wrote: and now?')
    const off = { ...later, messages: [...later.messages, user('/scenario off'), user('list the files')] }
    expect((await read(off)).calls).toHaveLength(1)
  })
})
