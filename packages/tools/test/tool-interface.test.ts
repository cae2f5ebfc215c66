/** Parts of the tool interface that tools may leave out. */
import type { Tool } from '@toolwire/core'
import { afterEach, describe, expect, test } from 'vitest'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'
import { simple } from './test-tools.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

const probe = (parts: Partial<Tool>, read_only = true): Tool =>
  simple('Probe', {
    isReadOnly: () => read_only,
    async *call() {
      yield { type: 'result', output_text: 'probed' }
    },
    ...parts,
  })

function open(parts: Partial<Tool>, read_only = true, mode = 'default'): Stage {
  stage = createStage({ tools: [probe(parts, read_only)], mode })
  return stage
}
const broken = (): never => {
  throw new Error('broken')
}
const told = (s: Stage): string | undefined => s.system().specs(s.scope)[0]?.description

describe('prompt', () => {
  test('follows the description that the model receives', () => {
    expect(told(open({ description: 'Probes.', prompt: 'Use it sparingly.' }))).toBe(
      'Probes.\n\nUse it sparingly.',
    )
  })

  test('may depend on the setting, and is left out when it fails', () => {
    expect(told(open({ description: 'Probes.', prompt: ({ model }) => `For ${model}.` }))).toBe(
      'Probes.\n\nFor demo.',
    )
    stage?.close()
    expect(told(open({ description: 'Probes.', prompt: broken }))).toBe('Probes.')
  })
})

describe('needsPermissions', () => {
  const waits = async (s: Stage): Promise<boolean> =>
    (await s.one('Probe', {})).approval !== undefined && s.events('tool.started').length === 0

  const odd = (() => undefined) as unknown as () => boolean
  const cases: readonly [string, Tool['needsPermissions'], boolean, boolean][] = [
    ['true asks even about a call that only reads', () => true, true, true],
    ['false asks about nothing', () => false, false, false],
    ['left out asks about what writes', undefined, false, true],
    ['left out asks about nothing that reads', undefined, true, false],
    ['that throws asks', broken, true, true],
    ['that gives something else asks', odd, true, true],
  ]
  test.each(cases)('%s', async (_, needsPermissions, read_only, asks) => {
    expect(await waits(open(needsPermissions ? { needsPermissions } : {}, read_only))).toBe(asks)
  })

  test('false does not open what a rule or the mode closes', async () => {
    const tools = [probe({ needsPermissions: () => false }, false)]
    stage = createStage({ tools, permissions: { rules: { deny: ['Probe'] } } })
    expect(codeOf(await stage.one('Probe', {}))).toBe('denied_rule')
    stage.close()
    stage = createStage({ tools, mode: 'plan' })
    expect(codeOf(await stage.one('Probe', {}))).toBe('denied_mode')
  })
})

describe('renderResultForAssistant', () => {
  test('makes the text that the model reads', async () => {
    const s = open({ renderResultForAssistant: text => `<<${text}>>` })
    expect(textOf(await s.one('Probe', {}))).toMatch(/^<<.*>>$/)
  })

  test('that fails or gives no text changes nothing', async () => {
    const plain = textOf(await open({}).one('Probe', {}))
    stage?.close()
    expect(textOf(await open({ renderResultForAssistant: broken }).one('Probe', {}))).toBe(plain)
    stage?.close()
    const odd = (() => 5) as unknown as () => string
    expect(textOf(await open({ renderResultForAssistant: odd }).one('Probe', {}))).toBe(plain)
  })

  test('is bounded like any other text', async () => {
    const s = open({ renderResultForAssistant: () => 'x'.repeat(200_000) })
    expect(textOf(await s.one('Probe', {})).length).toBeLessThan(40_000)
  })
})

describe('renderToolUseRejectedMessage', () => {
  const rejected = { renderToolUseRejectedMessage: (input: unknown) => `No: ${JSON.stringify(input)}` }
  const message = (s: Stage): string | undefined => s.state().calls[0]?.outcome?.failure?.message

  test('is what users read of a denied call; the model reads the reason', async () => {
    const s = open(rejected, false)
    const call = await s.one('Probe', { n: 1 })
    s.approve(call, { decision: 'denied', reason: 'too risky' })
    await s.settle()
    expect(message(s)).toBe('No: {"n":1}')
    expect(textOf(s.state().calls[0])).toContain('They said: too risky')
  })

  test('is what people read of a call that a rule denied', async () => {
    const tools = [probe(rejected)]
    stage = createStage({ tools, permissions: { rules: { deny: ['Probe'] } } })
    await stage.one('Probe', {})
    expect(message(stage)).toBe('No: {}')
    expect(textOf(stage.state().calls[0])).toContain('Denied by the rule')
  })

  test('that fails leaves the usual message, and says nothing about other failures', async () => {
    const s = open({ renderToolUseRejectedMessage: broken }, false, 'dontAsk')
    await s.one('Probe', {})
    expect(message(s)).toContain('Nobody is asked in this mode.')
    stage?.close()
    const other = open({ ...rejected, validate: async () => 'It cannot work.' })
    await other.one('Probe', {})
    expect(message(other)).toBe('It cannot work.')
  })
})
