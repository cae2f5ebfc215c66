/** The part of an output that the model reads, and the notice of what is missing. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { ToolStep } from '@toolwire/core'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { until } from './running.ts'
import { createStage, type Stage, type StageOptions, textOf } from './stage.ts'
import { simple } from './test-tools.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

/** The shown part of this output. */
async function told(
  result: Omit<Extract<ToolStep, { type: 'result' }>, 'type'>,
  output?: StageOptions['output'],
): Promise<string> {
  stage?.close()
  const talk = simple('Talk', {
    async *call() {
      yield { type: 'result', ...result }
    },
  })
  stage = createStage({ tools: [talk], ...(output ? { output } : {}) })
  return textOf(await stage.one('Talk', {}))
}

const numbered = (count: number): string => Array.from({ length: count }, (_, n) => `${n + 1}\n`).join('')

describe('an output', () => {
  test('of more than 2,000 lines is cut there, however short they are', async () => {
    expect(await told({ output_text: numbered(2000) })).toBe(numbered(2000))
    const text = await told({ output_text: numbered(2001) })
    expect(text).toContain('\n2000\n')
    expect(text).not.toContain('\n2001')
  })

  test('is shown from its start, with the missing parts before and after it', async () => {
    const all = 'abcdefghij'.repeat(4_000)
    const text = await told({ output_text: all })
    const [first = '', shown = '', last = ''] = text.split('\n')
    expect(shown).toBe(all.slice(0, 30_000))
    expect(first).toMatch(
      /^\[Output cut: 10000 of 40000 characters \(1 lines in all\) are not shown\. Full output: .*\]$/,
    )
    expect(last).toBe(first)
    expect(readFileSync(/Full output: (.*)\]/.exec(first)?.[1] ?? '', 'utf8')).toBe(all)
  })

  test('of a command is shown by a fifth from its start and the rest from its end', async () => {
    const all = numbered(20_000)
    const text = await told({ output_text: all, keep: 'tail' })
    const [notice = '', ...rest] = text.split('\n')
    const [head = '', tail = ''] = rest.join('\n').split(/\n… \[\d+ characters\] …\n/)
    expect(all.startsWith(head)).toBe(true)
    expect(all.endsWith(tail)).toBe(true)
    const lines = (part: string): number => part.trimEnd().split('\n').length
    expect([lines(head), lines(tail)]).toEqual([400, 1600])
    expect(notice).toContain(`${all.length - head.length - tail.length} of ${all.length} characters`)
  })

  test.each(['head', 'tail'] as const)('is never cut inside a character (%s)', async keep => {
    for (const edge of ['', 'y'])
      expect((await told({ output_text: `x${'😀'.repeat(20_000)}${edge}`, keep })).isWellFormed()).toBe(true)
  })

  test.each([
    [10, 4_000],
    [5_000, 5_000],
    [1_000_000, 128_000],
  ])('may have as many characters as the setting says, within bounds: %i', async (chars, bound) => {
    const all = 'x'.repeat(200_000)
    expect((await told({ output_text: all }, { chars })).split('\n')[1]).toHaveLength(bound)
  })
})

test('both outputs of a command are shown in the order in which they came', async () => {
  stage = createStage({ tools: createBuiltinTools(), mode: 'bypassPermissions' })
  const s = stage
  const wait = (name: string): string => `while [ ! -e ${s.path(name)} ]; do sleep 0.02; done`
  const command = `echo one; ${wait('a')}; echo two >&2; ${wait('b')}; echo three; ${wait('c')}; echo four >&2`
  await s.say([{ name: 'Bash', id: 'both', input: { command } }])
  const done = s.settle()
  const file = `${s.dir}/artifacts/ses_1/both.log`
  const said = (text: string) => (): boolean => existsSync(file) && readFileSync(file, 'utf8') === text
  for (const [name, text] of [
    ['a', 'one\n'],
    ['b', 'one\ntwo\n'],
    ['c', 'one\ntwo\nthree\n'],
  ] as const) {
    await until(said(text))
    writeFileSync(s.path(name), '')
  }
  await done
  expect(textOf(s.state().calls[0])).toBe('one\ntwo\nthree\nfour')
  expect(s.events('tool.completed')[0]?.structured).toMatchObject({
    stdout: 'one\nthree\n',
    stderr: 'two\nfour\n',
  })
})
