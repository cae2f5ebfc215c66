/** The same logs, drawn by both packages, must give the same page: tags, attributes and text. */
import { readFileSync } from 'node:fs'
import { applyRecords, describeCall, emptyView, LOCALES } from '@toolwire/core/view'
import { describe, expect, test } from 'vitest'
import { nestedTexts } from '../../core/test/view/nested-text.ts'
import { Script } from '../../core/test/view/script.ts'
import { drawReact, drawVue } from './draw-session.ts'
import { fixtures } from './fixtures.ts'
import { normalised } from './normalised.ts'

describe('React and Vue draw the same', () => {
  for (const [name, records] of Object.entries(fixtures()))
    for (const density of ['normal', 'everything'] as const)
      test(`${name} (${density})`, async () => {
        const view = applyRecords(emptyView(), records)
        const options = { locale: 'en', density } as const
        const fromVue = normalised(await drawVue(view, options))
        expect(fromVue).toEqual(normalised(drawReact(view, options)))
        expect(fromVue.length).toBeGreaterThan(20)
      })

  test.each(LOCALES)('in every language (%s)', async locale => {
    for (const records of Object.values(fixtures())) {
      const view = applyRecords(emptyView(), records)
      const options = { locale, density: 'everything' } as const
      expect(normalised(await drawVue(view, options))).toEqual(normalised(drawReact(view, options)))
    }
  })

  test.each(Object.entries(nestedTexts(200_000)))('text that repeats without end: %s', async (_, text) => {
    const script = new Script().created().ask('go').turn('m1').text('m1', 0, [text]).endTurn('m1')
    const view = applyRecords(emptyView(), script.records)
    const options = { locale: 'en', density: 'normal' } as const
    const react = drawReact(view, options)
    const count = (html: string, part: string) => html.split(part).length
    for (const part of ['</p>', '</pre>', ...text.slice(0, 3).matchAll(/\w/g)].map(String))
      expect(count(await drawVue(view, options), part)).toBe(count(react, part))
    expect(react.length).toBeGreaterThan(100_000)
  })

  test('an empty session', async () => {
    const options = { locale: 'en', density: 'normal' } as const
    expect(normalised(await drawVue(emptyView(), options))).toEqual(
      normalised(drawReact(emptyView(), options)),
    )
  })
})

test('everything with a state has it under both names', async () => {
  for (const records of Object.values(fixtures())) {
    const lines = normalised(
      await drawVue(applyRecords(emptyView(), records), { locale: 'en', density: 'everything' }),
    )
    for (const line of lines) {
      const state = / data-state="([^"]+)"/.exec(line)?.[1]
      if (state !== undefined) expect(line).toContain(` data-tw-state="${state}"`)
    }
  }
})

test('the fixtures hold every state of a call', () => {
  const views = Object.values(fixtures()).map(records => applyRecords(emptyView(), records))
  const states = new Set(views.flatMap(view => [...view.calls.values()].map(call => call.state)))
  expect([...states].sort()).toEqual(
    [
      'awaiting_approval',
      'awaiting_client',
      'building',
      'cancelled',
      'cancelling',
      'denied',
      'executing',
      'expired',
      'failed',
      'lost',
      'queued',
      'success',
    ].sort(),
  )
})

test('the fixtures hold every kind of display, every kind of block and every state of exchange, agent and decision', () => {
  const views = Object.values(fixtures()).map(records => applyRecords(emptyView(), records))
  const calls = views.flatMap(view => [...view.calls.values()])
  const distinct = (values: readonly (string | undefined)[]) => [...new Set(values)].filter(Boolean).sort()
  expect(distinct(calls.map(call => describeCall(call).kind))).toEqual(
    ['agent', 'diff', 'file', 'image', 'json', 'notebook', 'search', 'terminal', 'text', 'todo'].sort(),
  )
  expect(distinct(views.flatMap(view => [...view.blocks.values()].map(block => block.kind)))).toEqual(
    [
      'file',
      'provider_tool_result',
      'provider_tool_use',
      'redacted_thinking',
      'refusal',
      'text',
      'thinking',
      'tool_use',
    ].sort(),
  )
  expect(distinct(views.flatMap(view => view.turns.map(turn => turn.state)))).toEqual(
    ['cancelled', 'completed', 'failed', 'paused', 'running'].sort(),
  )
  expect(distinct(views.flatMap(view => [...view.agents.values()].map(agent => agent.state)))).toEqual(
    ['error', 'running', 'success', 'suspended'].sort(),
  )
  expect(distinct(calls.map(call => call.approval?.decision))).toEqual(
    ['approved', 'cancelled', 'denied', 'expired'].sort(),
  )
})

test('both packages ship the one stylesheet', () => {
  const sheet = (name: string): string =>
    readFileSync(new URL(`../../${name}/src/styles.css`, import.meta.url), 'utf8')
  expect(sheet('vue')).toBe(sheet('react'))
  expect(sheet('vue')).toContain('@import "@toolwire/core/styles.css"')
})
