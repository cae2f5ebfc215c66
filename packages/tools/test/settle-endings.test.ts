import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type CallState, next, type Tool } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { oneStage } from './one-stage.ts'
import { codeOf, type Stage, textOf } from './stage.ts'
import { gated, simple } from './test-tools.ts'

const open = oneStage()

describe('client tools', () => {
  const spec = {
    name: 'Paint',
    input_schema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
  }

  test('a call of one is handed to the client and ends with its answer', async () => {
    const s = open({ tools: [], client_tools: [spec] })
    await s.say([{ name: 'Paint', input: { colour: 'red' } }])
    expect(await s.settle()).toBe('pause')
    expect(s.events('tool.client_requested')[0]?.input_text).toBe('{"colour":"red"}')
    const [call] = s.state().calls
    if (call) s.answerClient(call, 'painted')
    expect(await s.settle()).toBe('call-model')
    expect(textOf(s.state().calls[0])).toBe('painted')
    expect(s.events('tool.started')).toHaveLength(0)
  })

  test('arguments that do not fit its schema never reach the client', async () => {
    const s = open({ tools: [], client_tools: [spec] })
    expect(codeOf(await s.one('Paint', { color: 'red' }))).toBe('invalid_input')
    expect(s.events('tool.client_requested')).toHaveLength(0)
  })

  test('a request may bring a tool with the name of a server tool and gets its calls', async () => {
    const s = open({ tools: [gated('Paint').tool], client_tools: [spec] })
    await s.say([{ name: 'Paint', input: { colour: 'red' } }])
    expect(await s.settle()).toBe('pause')
    expect(s.system().specs(s.scope)).toEqual([spec])
  })
})

describe('stopping', () => {
  const hang = (read_only: boolean): Tool =>
    simple('Hang', {
      isReadOnly: () => read_only,
      async *call(_, { signal }) {
        yield { type: 'progress', output_delta: 'half' }
        if (signal.aborted) return
        await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
      },
    })

  async function begin(read_only: boolean): Promise<{ readonly s: Stage; readonly done: Promise<string> }> {
    return await beginTwo(hang(read_only))
  }

  async function beginTwo(tool: Tool): Promise<{ readonly s: Stage; readonly done: Promise<string> }> {
    const s = open({ tools: [tool], mode: 'bypassPermissions' })
    await s.say([
      { name: 'Hang', input: {} },
      { name: 'Hang', input: { n: 2 } },
    ])
    const done = s.settle()
    while (s.events('tool.progress').length === 0) await delay(1)
    return { s, done }
  }

  test('a cancel ends running calls with what they had said, and those that wait without it', async () => {
    const { s, done } = await begin(false)
    s.cancel()
    await done
    expect(s.state().calls.map(codeOf)).toEqual(['interrupted', 'interrupted'])
    expect(textOf(s.state().calls[0])).toMatch(
      /Interrupted by the user after \d.*Side effects may have happened.*half/s,
    )
    expect(textOf(s.state().calls[1])).toContain('before it started')
  })

  test('what a call says is in the file of its output while it runs, all of it after a cancel, and gone after a result', async () => {
    const talk = simple('Talk', {
      async *call(input, { signal }) {
        for (let i = 0; i < 100; i++) yield { type: 'progress', output_delta: `${'x'.repeat(200)}\n` }
        if ((input as { readonly n?: number }).n === 2) return yield { type: 'result', output_text: 'short' }
        await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
      },
    })
    const s = open({ tools: [talk], mode: 'bypassPermissions' })
    const file = (id: string): string => join(s.dir, 'artifacts', 'ses_1', `${id}.log`)
    await s.run({ name: 'Talk', input: { n: 2 }, id: 'ends' })
    expect(existsSync(file('ends'))).toBe(false)
    await s.say([{ name: 'Talk', input: {}, id: 'stopped' }])
    const done = s.settle()
    while (s.events('tool.progress').filter(one => one.call_id === 'stopped').length < 100) await delay(1)
    expect(readFileSync(file('stopped'), 'utf8')).toHaveLength(20_100)
    s.cancel()
    await done
    expect(readFileSync(file('stopped'), 'utf8')).toHaveLength(20_100)
    expect(textOf(s.state().calls[0])).toContain(`[Full output: ${file('stopped')}]`)
  })

  test('a result that comes after the cancel is recorded, and the call keeps the end it has', async () => {
    const late = Promise.withResolvers<void>()
    const deaf = simple('Deaf', {
      isReadOnly: () => false,
      async *call() {
        yield { type: 'progress', output_delta: 'half' }
        await late.promise
        yield { type: 'result', output_text: 'done after all' }
      },
    })
    const s = open({ tools: [deaf], mode: 'bypassPermissions', abort_grace_ms: 1 })
    await s.say([{ name: 'Deaf', input: {}, id: 'deaf' }])
    const done = s.settle()
    while (s.events('tool.progress').length === 0) await delay(1)
    s.cancel()
    await done
    expect(s.state().calls.map(codeOf)).toEqual(['interrupted'])
    late.resolve()
    while (s.events('note').length === 0) await delay(1)
    expect(s.events('note')).toMatchObject([
      {
        name: 'late_result',
        value: { call_id: 'deaf', name: 'Deaf', output_text: 'done after all', is_error: false },
      },
    ])
    expect(s.events('tool.completed')).toEqual([])
    expect(textOf(s.state().calls[0])).not.toContain('done after all')
  })

  test('a call that was closed meanwhile gets no second end; its result is recorded', async () => {
    const gate = Promise.withResolvers<void>()
    const slow = simple('Slow', {
      async *call() {
        yield { type: 'progress', output_delta: 'half' }
        await gate.promise
        yield { type: 'result', output_text: 'done after all' }
      },
    })
    const s = open({ tools: [slow], mode: 'bypassPermissions' })
    await s.say([{ name: 'Slow', input: {}, id: 'slow' }])
    const done = s.settle()
    while (s.events('tool.progress').length === 0) await delay(1)
    const error = { code: 'interrupted', layer: 'aborted', message: 'closed', retryable: false } as const
    const ts = new Date().toISOString()
    s.append({ type: 'tool.failed', ts, call_id: 'slow', error, output_text: 'closed', duration_ms: 0 })
    gate.resolve()
    await done
    expect([s.events('tool.completed').length, s.events('tool.failed').length]).toEqual([0, 1])
    expect(s.events('note')).toMatchObject([
      { name: 'late_result', value: { output_text: 'done after all' } },
    ])
  })

  test('a server going down leaves a read-only call to the next owner, who runs it again', async () => {
    const { s, done } = await begin(true)
    s.shutdown()
    await done
    expect(s.state().calls[0]?.outcome).toBeUndefined()
    s.restart()
    const again = s.settle()
    while (s.events('tool.started').length < 4) await delay(1)
    expect(s.events('tool.started').map(event => event.attempt)).toEqual([1, 1, 2, 2])
    s.cancel()
    await again
  })

  test.each([
    ['one that has no second effect is left to the next owner, too', true, [1, 2]],
    ['one that may have written is told as interrupted, and not run again', false, [1]],
  ])('of the calls that a server going down stops, %s', async (_, idempotent, attempts) => {
    const { s, done } = await beginTwo({ ...hang(false), isIdempotent: () => idempotent })
    s.shutdown()
    await done
    expect(codeOf(s.state().calls[0])).toBe(idempotent ? undefined : 'interrupted')
    s.restart()
    const again = s.settle()
    const of = (call: CallState | undefined) =>
      s.events('tool.started').filter(event => event.call_id === call?.call_id)
    const [first, second] = s.state().calls
    while (of(idempotent ? first : second).length < attempts.length) await delay(1)
    expect(of(first).map(event => event.attempt)).toEqual(attempts)
    s.cancel()
    await again
  })
})

describe('eager start', () => {
  test('a read-only call starts while the model still writes, and its result is reported once', async () => {
    const { tool, log } = gated('Look')
    const s = open({ tools: [tool] })
    await s.say(
      [
        { name: 'Look', input: { n: 1 } },
        { name: 'Look', input: { n: 2 } },
      ],
      'tool_calls',
      true,
    )
    const begun = s.records.findIndex(rec => rec.ev.type === 'turn.completed')
    await s.settle()
    expect(s.records.slice(0, begun).filter(rec => rec.ev.type === 'tool.started').length).toBeGreaterThan(0)
    expect(s.events('tool.completed')).toHaveLength(2)
    expect(log.filter(line => line.startsWith('start'))).toHaveLength(2)
  })

  test('no more calls begin early than may run at once; the others take their turn', async () => {
    const { tool, most } = gated('Look')
    const s = open({ tools: [tool], max_parallel: 2 })
    await s.say(
      [1, 2, 3, 4, 5].map(n => ({ name: 'Look', input: { n } })),
      'tool_calls',
      true,
    )
    await s.settle()
    expect(most()).toBe(2)
    expect(s.events('tool.completed')).toHaveLength(5)
  })

  test('a call that writes never begins early, and neither does one behind it', async () => {
    const look = gated('Look')
    const write = gated('Write', { read_only: false })
    const s = open({ tools: [look.tool, write.tool], mode: 'bypassPermissions' })
    await s.say(
      [
        { name: 'Write', input: { n: 1 } },
        { name: 'Look', input: { n: 2 } },
      ],
      'tool_calls',
      true,
    )
    expect(s.events('tool.started')).toHaveLength(0)
    await s.settle()
    expect(s.events('tool.completed').map(event => event.output_text)).toEqual(['1', '2'])
  })
})

test('reads of an early call are void when its message was aborted', async () => {
  const s = open({ tools: createBuiltinTools(), mode: 'acceptEdits' })
  writeFileSync(s.path('a.txt'), 'one\n')
  await s.say([{ name: 'Read', input: { file_path: s.path('a.txt') } }], 'tool_calls', true)
  while (s.events('tool.started').length === 0) await delay(1)
  await delay(20)
  s.append(
    { type: 'turn.started', ts: '', turn: 9, provider: 'demo', model: 'demo', attempt: 1 },
    { type: 'message.aborted', ts: '', message_id: 'x', reason: 'broken' },
  )
  expect(
    codeOf(await s.one('Edit', { file_path: s.path('a.txt'), old_string: 'one', new_string: 'two' })),
  ).toBe('not_read')
})

describe('loop guard', () => {
  const same = (answers: () => string): Tool =>
    simple('Poll', {
      async *call() {
        yield { type: 'result', output_text: answers() }
      },
    })

  async function untilAsked(s: Stage): Promise<CallState> {
    const texts: string[] = []
    for (let i = 0; i < 5; i++) texts.push(textOf(await s.one('Poll', { n: 1 })))
    expect(texts[1]).toBe('same')
    expect(texts[2]).toContain('Repeating the call will not change it')
    await s.say([{ name: 'Poll', input: { n: 1 } }])
    expect(await s.settle()).toBe('pause')
    return s.state().calls[0] as CallState
  }

  test('the third identical result is remarked on; before the sixth a person is asked, also after a restart', async () => {
    const s = open({ tools: [same(() => 'same')] })
    await untilAsked(s)
    s.restart()
    expect(next(s.state())).toMatchObject({
      do: 'pause',
      reason: 'user_input_required',
      pending: [{ kind: 'question', name: 'Poll', message: expect.stringMatching(/5 times.*Continue/) }],
    })
    expect(s.events('tool.approval_requested')).toMatchObject([
      {
        kind: 'question',
        options: [{ label: 'Continue' }, { label: 'Stop' }],
        details: { loop: { times: 5 } },
      },
    ])
  })

  test('a user who lets it continue is not asked again before five more', async () => {
    const s = open({ tools: [same(() => 'same')] })
    s.approve(await untilAsked(s), { answer_text: 'Continue' })
    expect(await s.settle()).toBe('call-model')
    expect(textOf(s.state().calls[0])).toContain('same')
    for (let i = 0; i < 4; i++) expect(textOf(await s.one('Poll', { n: 1 }))).toContain('same')
    await s.say([{ name: 'Poll', input: { n: 1 } }])
    expect(await s.settle()).toBe('pause')
  })

  test.each([
    ['the answer', { answer_text: 'Stop' } as const],
    ['a denial', { decision: 'denied' } as const],
  ])('%s stop refuses the call and ends the run', async (_, answer) => {
    const s = open({ tools: [same(() => 'same')] })
    s.approve(await untilAsked(s), answer)
    expect(await s.settle()).toBe('cancel')
    expect(codeOf(s.state().calls[0])).toBe('loop')
    expect(textOf(s.state().calls[0])).toMatch(/stopped the work/)
    expect(s.state().cancel?.reason).toMatch(/stopped Poll/)
  })

  test('where asking is not possible the call is rejected', async () => {
    const s = open({ tools: [same(() => 'same')], mode: 'dontAsk' })
    for (let i = 0; i < 5; i++) await s.one('Poll', { n: 1 })
    expect(codeOf(await s.one('Poll', { n: 1 }))).toBe('loop')
  })

  test('a changed result starts the count again', async () => {
    let i = 0
    const s = open({ tools: [same(() => (i++ % 3 === 0 ? 'a' : `b${i}`))] })
    for (let n = 0; n < 8; n++) expect(codeOf(await s.one('Poll', {}))).toBeUndefined()
  })

  test('a cycle of two calls is noticed too', async () => {
    const s = open({ tools: [same(() => 'same')] })
    let asked = 0
    for (let n = 0; n < 14 && asked === 0; n++) {
      const call = await s.one('Poll', { n: n % 2 })
      if (call.approval) asked = n
    }
    expect(asked).toBe(10)
  })

  test('tools that are meant to be repeated are exempt', async () => {
    const s = open({ tools: [{ ...same(() => 'same'), may_repeat: true }] })
    for (let n = 0; n < 8; n++) expect(textOf(await s.one('Poll', {}))).toBe('same')
  })
})

test('a note that a call sets is in the log with its result and survives a restart', async () => {
  const s = open({
    tools: [
      simple('Remember', {
        async *call(_, { notes }) {
          const before = notes.get('x')
          notes.set('x', (typeof before === 'number' ? before : 0) + 1)
          yield { type: 'result', output_text: String(before) }
        },
      }),
    ],
  })
  writeFileSync(s.path('unused'), '')
  await s.one('Remember', { n: 1 })
  s.restart()
  expect(textOf(await s.one('Remember', { n: 2 }))).toBe('1')
})

test('colours and other terminal commands of a tool do not reach the model; the raw text is kept', async () => {
  const raw = '\u001b[31mred\u001b[0m and plain'
  const s = open({
    tools: [
      simple('Paint', {
        async *call() {
          yield { type: 'result', output_text: raw }
        },
      }),
    ],
  })
  const call = await s.one('Paint', {})
  expect(textOf(call)).toBe('red and plain')
  expect(readFileSync(join(s.dir, 'artifacts', 'ses_1', `${call.call_id}.log`), 'utf8')).toBe(raw)
})
