import type { Tool } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineRawTool, defineTool } from '../src/define-tool.ts'
import { oneStage } from './one-stage.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'
import { gated, simple } from './test-tools.ts'

const open = oneStage()

describe('arguments', () => {
  const echo = gated('Echo').tool

  test('text that is not JSON is refused with its place, and nothing runs', async () => {
    const s = open({ tools: [echo] })
    await s.say([{ name: 'Echo', text: '{"text": "abc' }])
    await s.settle()
    const [call] = s.state().calls
    expect(codeOf(call)).toBe('bad_json')
    expect(textOf(call)).toMatch(/position \d+ of 13.*Nothing was executed/s)
    expect(s.events('tool.started')).toHaveLength(0)
    expect(s.events('tool.ready')).toHaveLength(0)
  })

  test('a message cut by the output limit executes nothing, not even complete calls', async () => {
    const s = open({ tools: [echo] })
    await s.say(
      [
        { name: 'Echo', input: {} },
        { name: 'Echo', text: '{"te' },
      ],
      'length',
    )
    await s.settle()
    expect(s.state().calls.map(codeOf)).toEqual(['truncated', 'truncated'])
    expect(s.events('tool.started')).toHaveLength(0)
  })

  test('an unknown name is answered with names it may have meant', async () => {
    const s = open({ tools: [echo] })
    const call = await s.one('Ecko', {})
    expect(codeOf(call)).toBe('unknown_tool')
    expect(textOf(call)).toMatch(/^Error: No such tool available: /)
    expect(textOf(call)).toContain('Did you mean Echo?')
  })

  test('a tool that the session does not offer is called disabled', async () => {
    const s = open({ tools: [echo], session_tools: ['Other'] })
    expect(textOf(await s.one('Echo', {}))).toContain('disabled in this session')
    expect(s.system().specs(s.scope)).toEqual([])
  })

  test('schema problems name field, expectation and what came, and the nearest name', async () => {
    const s = open({ tools: [echo] })
    const call = await s.one('Echo', { n: 'x'.repeat(200), txt: 'y' })
    expect(codeOf(call)).toBe('invalid_input')
    expect(textOf(call)).toContain('`n`: expected number, got string "xxx')
    expect(textOf(call)).toContain('did you mean `text`?')
    expect(textOf(call).length).toBeLessThan(400)
  })

  test('arguments nested beyond measure are refused, not parsed', async () => {
    const s = open({ tools: [echo] })
    await s.say([{ name: 'Echo', text: '['.repeat(100_000) + ']'.repeat(100_000) }])
    await s.settle()
    expect(codeOf(s.state().calls[0])).toBe('bad_json')
  })

  test('no text at all means no arguments', async () => {
    const s = open({ tools: [echo] })
    await s.say([{ name: 'Echo', text: '' }])
    await s.settle()
    expect(s.state().calls[0]?.outcome?.is_error).toBe(false)
  })

  test('raw JSON Schema is checked too, and a hostile one cannot stop the call', async () => {
    const deep: Record<string, unknown> = {}
    let at = deep
    for (let i = 0; i < 5000; i++) {
      const next = {}
      at['properties'] = { a: next }
      at = next
    }
    const parts = { description: 'x', isReadOnly: () => true, call: echo.call as never }
    const good = defineRawTool({
      name: 'Raw',
      ...parts,
      input_schema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    })
    const evil = defineRawTool({ name: 'Evil', ...parts, input_schema: deep })
    const s = open({ tools: [good, evil] })
    expect(codeOf(await s.one('Raw', { a: 'x' }))).toBe('invalid_input')
    expect((await s.one('Evil', { a: { a: 1 } })).outcome?.is_error).toBe(false)
  })
})

describe('execution', () => {
  const echo = gated('Echo').tool

  test('tool.started is committed before the tool does anything', async () => {
    let seen = 0
    const s: Stage = open({
      tools: [
        simple('Look', {
          async *call() {
            seen = s.events('tool.started').length
            yield { type: 'result', output_text: 'x' }
          },
        }),
      ],
    })
    await s.one('Look', {})
    expect(seen).toBe(1)
  })

  test('a tool that throws gives its message with stderr and stdout, never a stack, at most 10,000 characters', async () => {
    const s = open({
      tools: [
        simple('Bad', {
          // biome-ignore lint/correctness/useYield: a tool that fails before its first step
          async *call() {
            throw Object.assign(new Error('boom'), { stderr: 'E'.repeat(20_000), stdout: 'OUT' })
          },
        }),
      ],
    })
    const call = await s.one('Bad', {})
    expect(codeOf(call)).toBe('failed')
    expect(textOf(call)).toMatch(/^boom\nE+/)
    expect(textOf(call)).toContain('OUT')
    expect(textOf(call)).not.toContain('settle.test')
    expect(textOf(call).length).toBeLessThan(10_100)
  })

  test('a tool that ends without a result has failed', async () => {
    const s = open({ tools: [simple('None', { async *call() {} })] })
    const call = await s.one('None', {})
    expect([codeOf(call), textOf(call)]).toEqual(['failed', 'The tool produced no result.'])
  })

  test('a result that does not fit the output schema of its tool fails, says where, and keeps what was given', async () => {
    const sum = (structured: unknown): Tool =>
      defineTool({
        name: 'Sum',
        description: 'test',
        input: z.strictObject({}),
        output: z.strictObject({ total: z.number() }),
        isReadOnly: () => true,
        async *call() {
          yield { type: 'result', output_text: 'seven', structured }
        },
      }) as Tool
    const good = open({ tools: [sum({ total: 7 })] })
    expect((await good.one('Sum', {})).outcome?.is_error).toBe(false)
    good.close()
    const s = open({ tools: [sum({ total: 'seven' })] })
    const call = await s.one('Sum', {})
    expect(codeOf(call)).toBe('output_invalid')
    expect(textOf(call)).toMatch(/Sum ran.*`total`.*What it gave:\nseven/s)
    expect(call.outcome?.failure).toMatchObject({ layer: 'execution', retryable: false })
  })

  test('users and the model each get a failure in their own words', async () => {
    const s = open({ tools: [echo] })
    await s.say([{ name: 'Echo', text: '{"te' }], 'length')
    await s.settle()
    const [call] = s.state().calls
    expect(call?.outcome?.failure?.message).toBe(
      'The answer hit its output limit inside this call, so it was not run.',
    )
    expect(textOf(call)).toContain('Send it again in smaller parts')
  })

  test('an empty result is never empty', async () => {
    const s = open({
      tools: [
        simple('Empty', {
          async *call() {
            yield { type: 'result', output_text: '' }
          },
        }),
      ],
    })
    expect(textOf(await s.one('Empty', {}))).toBe('(no output)')
  })

  test('progress is passed on while the tool runs', async () => {
    const s = open({
      tools: [
        simple('Slow', {
          async *call() {
            yield { type: 'progress', output_delta: 'a' }
            yield { type: 'progress', message: 'half', progress: 1, total: 2 }
            yield { type: 'result', output_text: 'done' }
          },
        }),
      ],
    })
    await s.one('Slow', {})
    expect(s.events('tool.progress').map(p => p.output_delta ?? p.message)).toEqual(['a', 'half'])
  })

  test('a tool with a time limit is stopped by it', async () => {
    const s = open({
      tools: [
        simple('Hang', {
          timeout_ms: 20,
          async *call(_, { signal }) {
            yield { type: 'progress', output_delta: 'so far' }
            await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
            yield { type: 'result', output_text: 'late' }
          },
        }),
      ],
    })
    const call = await s.one('Hang', {})
    expect(codeOf(call)).toBe('timeout')
    expect(textOf(call)).toContain('so far')
  })

  test('output beyond the limit is stored whole and cut with a notice at the edge', async () => {
    const s = open({
      tools: [
        simple('Long', {
          async *call() {
            yield { type: 'result', output_text: `${'line\n'.repeat(50_000)}` }
          },
        }),
      ],
    })
    const text = textOf(await s.one('Long', {}))
    expect(text.length).toBeLessThan(31_000)
    const path = /Full output: (.*?)\]/.exec(text)?.[1] ?? ''
    const { readFileSync } = await import('node:fs')
    expect(readFileSync(path, 'utf8')).toBe('line\n'.repeat(50_000))
  })

  test('a cut never splits a character', async () => {
    const s = open({
      tools: [
        simple('Long', {
          async *call() {
            yield { type: 'result', output_text: `x${'😀'.repeat(40_000)}`, keep: 'tail' }
          },
        }),
      ],
    })
    expect(textOf(await s.one('Long', {})).isWellFormed()).toBe(true)
  })
})

describe('order', () => {
  test('eight read-only calls run together', async () => {
    const { tool, most } = gated('Look')
    const s = open({ tools: [tool] })
    await s.run(...Array.from({ length: 8 }, (_, n) => ({ name: 'Look', input: { n } })))
    expect(most()).toBe(8)
  })

  test('at most ten run at once, and all get their turn', async () => {
    const { tool, most } = gated('Look')
    const s = open({ tools: [tool] })
    const calls = await s.run(...Array.from({ length: 25 }, (_, n) => ({ name: 'Look', input: { n } })))
    expect(most()).toBe(10)
    expect(calls.map(textOf)).toEqual(Array.from({ length: 25 }, (_, n) => String(n)))
  })

  test('a tool that declares nothing and writes runs alone and in call order', async () => {
    const write = gated('Write', { read_only: false })
    const s = open({ tools: [write.tool], mode: 'bypassPermissions' })
    await s.run(...[1, 2, 3].map(n => ({ name: 'Write', input: { n } })))
    expect(write.most()).toBe(1)
    expect(write.log).toEqual(['start 1', 'end 1', 'start 2', 'end 2', 'start 3', 'end 3'])
  })

  test('calls that touch the same thing keep their order, others overlap', async () => {
    const tool = gated('Touch', { read_only: false, access: ({ key = '' }) => [{ key, mode: 'write' }] })
    const s = open({ tools: [tool.tool], mode: 'bypassPermissions' })
    await s.run(
      { name: 'Touch', input: { n: 1, key: 'file:/a' } },
      { name: 'Touch', input: { n: 2, key: 'file:/a' } },
      { name: 'Touch', input: { n: 3, key: 'file:/b' } },
    )
    expect(tool.log.indexOf('end 1')).toBeLessThan(tool.log.indexOf('start 2'))
    expect(tool.log.indexOf('start 3')).toBeLessThan(tool.log.indexOf('end 1'))
  })

  test('a directory conflicts with everything below it, not with its namesakes', async () => {
    const tool = gated('Touch', { read_only: false, access: ({ key = '' }) => [{ key, mode: 'write' }] })
    const s = open({ tools: [tool.tool], mode: 'bypassPermissions' })
    await s.run(
      { name: 'Touch', input: { n: 1, key: 'tree:/a/b' } },
      { name: 'Touch', input: { n: 2, key: 'file:/a/b/c' } },
      { name: 'Touch', input: { n: 3, key: 'file:/a/bc' } },
    )
    expect(tool.log.indexOf('end 1')).toBeLessThan(tool.log.indexOf('start 2'))
    expect(tool.log.indexOf('start 3')).toBeLessThan(tool.log.indexOf('end 1'))
  })

  test('a failed sibling cancels no other call', async () => {
    const { tool } = gated('Look')
    const bad = simple('Bad', {
      // biome-ignore lint/correctness/useYield: a tool that fails before its first step
      async *call() {
        throw new Error('no')
      },
    })
    const s = open({ tools: [tool, bad] })
    const calls = await s.run(
      { name: 'Look', input: { n: 1 } },
      { name: 'Bad', input: {} },
      { name: 'Look', input: { n: 2 } },
    )
    expect(calls.map(call => call.outcome?.is_error)).toEqual([false, true, false])
  })

  test('whatever the calls and their answers, each gets exactly one terminal event', async () => {
    const kinds = ['Look', 'Write', 'Bad', 'Nope', 'Client'] as const
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...kinds), fc.boolean()), { minLength: 1, maxLength: 6 }),
        async asked => {
          const bad = simple('Bad', {
            // biome-ignore lint/correctness/useYield: a tool that fails before its first step
            async *call() {
              throw new Error('no')
            },
          })
          const s = createStage({
            tools: [gated('Look').tool, gated('Write', { read_only: false }).tool, bad],
            client_tools: [{ name: 'Client', input_schema: { type: 'object' } }],
          })
          try {
            await s.say(asked.map(([name], n) => ({ name, input: name === 'Client' ? {} : { n } })))
            for (let round = 0; round < 20 && (await s.settle()) === 'pause'; round++) {
              const waiting = s
                .state()
                .calls.find(
                  call => !call.outcome && (call.client || (call.approval && !call.approval.decision)),
                )
              if (!waiting) throw new Error('paused, but nobody waits')
              const yes = asked[s.state().calls.indexOf(waiting)]?.[1]
              if (waiting.client) s.answerClient(waiting, 'out', !yes)
              else s.approve(waiting, { decision: yes ? 'approved' : 'denied' })
            }
            const ends = [...s.events('tool.completed'), ...s.events('tool.failed')].map(
              event => event.call_id,
            )
            expect([...ends].sort()).toEqual(
              s
                .state()
                .calls.map(call => call.call_id)
                .sort(),
            )
          } finally {
            s.close()
          }
        },
      ),
      { numRuns: 40 },
    )
  })
})
