/** The same logs, drawn by both packages, must give the same page: tags, attributes and text. */
import { readFileSync } from 'node:fs'
import { applyRecords, describeCall, emptyView, LOCALES } from '@toolwire/core/view'
import { JSDOM } from 'jsdom'
import { describe, expect, test } from 'vitest'
import { drawReact, drawVue } from './draw-session.ts'
import { fixtures } from './fixtures.ts'

/** Ids that a framework makes up, and what refers to them. */
const OWN_IDS: ReadonlySet<string> = new Set(['for', 'aria-controls', 'aria-describedby'])

/** One line per element and text, attributes in order of name. */
function normalised(html: string): readonly string[] {
  const { document, Node } = new JSDOM(`<body>${html}</body>`).window
  const lines: string[] = []
  const walk = (node: Node, depth: number): void => {
    if (node.nodeType === Node.TEXT_NODE) {
      if (node.textContent) lines.push(`${'  '.repeat(depth)}${JSON.stringify(node.textContent)}`)
      return
    }
    if (node.nodeType !== Node.ELEMENT_NODE) return
    const element = node as Element
    lines.push(`${'  '.repeat(depth)}<${element.tagName.toLowerCase()}${attributes(element)}>`)
    for (const child of element.childNodes) walk(child, depth + 1)
  }
  document.body.normalize()
  for (const comment of comments(document)) comment.remove()
  document.body.normalize()
  for (const child of document.body.childNodes) walk(child, 0)
  return lines
}

function comments(document: Document): readonly ChildNode[] {
  const walker = document.createTreeWalker(document.body, 128)
  const found: ChildNode[] = []
  while (walker.nextNode()) found.push(walker.currentNode as ChildNode)
  return found
}

const attributes = (element: Element): string =>
  [...element.attributes]
    .filter(({ name, value }) => !OWN_IDS.has(name) && (name !== 'id' || value.startsWith('call-')))
    .map(
      ({ name, value }) =>
        ` ${name}=${JSON.stringify(name === 'style' ? value.replaceAll(/\s|;$/g, '') : value)}`,
    )
    .sort()
    .join('')

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

  test('an empty session', async () => {
    const options = { locale: 'en', density: 'normal' } as const
    expect(normalised(await drawVue(emptyView(), options))).toEqual(
      normalised(drawReact(emptyView(), options)),
    )
  })
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

test('the fixtures hold every kind of picture, every kind of block and every state of exchange, agent and decision', () => {
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
