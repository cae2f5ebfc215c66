/** What people approve is what they see, in a real browser: nothing is hidden, cut off or drawn as another sign. */
import { readFileSync } from 'node:fs'
import { applyRecords, emptyView, type ViewRecord } from '@toolwire/core/view'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { Script } from '../../../packages/core/test/view/script.ts'
import { sessionPage } from '../src/export/session-page.ts'
import { eventually, setUpProduct } from './product.ts'
import { writeSessions } from './written-session.ts'

const HIDDEN = '\u202e\u200b\u001b[31m\u{e0041}'
const MARKS = '⟨U+202E⟩⟨U+200B⟩⟨U+001B⟩[31m⟨U+E0041⟩'

interface Asked {
  readonly name: string
  readonly input: unknown
  readonly question?: string
}

function asking({ name, input, question }: Asked): readonly ViewRecord[] {
  const script = new Script().created().ask(`Please ${HIDDEN}`).turn('m1')
  script.text('m1', 0, [`Look: ${HIDDEN}\n\n- item ${HIDDEN}\n\n\`\`\`ts\na --> b // ${HIDDEN}\n\`\`\`\n`])
  script.call('m1', 1, 'c1', { name, input }).add('tool.approval_requested', {
    approval_id: `apr_${name.length}.${JSON.stringify(input).length}`,
    call_id: 'c1',
    name,
    kind: question === undefined ? 'approval' : 'question',
    allow_edit: question === undefined,
    message: question ?? `May it ${HIDDEN} run?`,
    ...(question === undefined ? { details: { suggested_rule: `${name}(${HIDDEN})` } } : {}),
    ...(question === undefined
      ? {}
      : {
          schema: { type: 'object', properties: { [`n${HIDDEN}`]: { type: 'string', title: `T${HIDDEN}` } } },
        }),
  })
  const reason = question === undefined ? 'tool_approval_required' : 'user_input_required'
  return script.endTurn('m1').add('run.paused', { reason, pending: [] }).records
}

const word = 'x'.repeat(290)
const asked: Readonly<Record<string, Asked>> = {
  command: { name: 'Bash', input: { command: `cat ${HIDDEN}.txt -- ..//x => y`, description: HIDDEN } },
  fields: { name: `mcp__x__${HIDDEN}`, input: { [`k${HIDDEN}${word}`]: `${word}END`, b: true } },
  path: {
    name: 'Edit',
    input: { file_path: `/${word}${HIDDEN}`, old_string: 'a', new_string: `b${HIDDEN}` },
  },
  file: { name: 'Write', input: { file_path: 'a.md', content: `${'line\n'.repeat(34)}${word}END` } },
  long: { name: 'Bash', input: { command: `${'echo --\n'.repeat(200)}rm -rf / # END` } },
  form: { name: `mcp__y__${HIDDEN}`, input: { a: 1 }, question: `Which ${HIDDEN}?` },
}

const { open } = setUpProduct({
  prepare: data =>
    writeSessions(data, Object.fromEntries(Object.entries(asked).map(([id, one]) => [id, asking(one)]))),
})

/** What is drawn with hidden characters in it, in texts and in attributes that are seen or heard. */
const hiddenIn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const hidden = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/u
    const isHidden = (text: string) => hidden.test(text.replace(/[\n\t]/g, ''))
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    while (walker.nextNode())
      if (isHidden(walker.currentNode.nodeValue ?? '')) found.push(walker.currentNode.nodeValue ?? '')
    for (const element of document.querySelectorAll('body *'))
      for (const name of ['title', 'alt', 'placeholder', 'aria-label'])
        if (isHidden(element.getAttribute(name) ?? '')) found.push(`${name}: ${element.getAttribute(name)}`)
    return found
  })

/** Elements of the card that show less than they hold. Its first line may end in dots: all of it is below. */
const clippedIn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('[data-state="awaiting_approval"] *')]
      .filter(element => element.closest('[data-tw-part="tool-header"], summary, textarea') === null)
      .filter(element => getComputedStyle(element).display !== 'inline')
      .filter(
        element =>
          element.scrollWidth > element.clientWidth + 1 ||
          (element.scrollHeight > element.clientHeight + 1 &&
            getComputedStyle(element).overflowY !== 'visible'),
      )
      .map(element => element.outerHTML.slice(0, 120)),
  )

const DESKTOP = { viewport: { width: 1280, height: 800 } }
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

describe('a call that asks for permission', () => {
  test.each(Object.keys(asked))('shows marks for hidden characters, and nothing is cut off: %s', async id => {
    for (const device of [DESKTOP, PHONE]) {
      const { page, problems } = await open(`/sessions/${id}`, device)
      await page.locator('[data-state="awaiting_approval"]').first().waitFor()
      expect(await hiddenIn(page)).toEqual([])
      expect(await page.locator('[data-tw-part="thread-scroll"]').innerText()).toContain(MARKS)
      await page.evaluate(() => document.fonts.ready)
      expect(await clippedIn(page)).toEqual([])
      expect(problems).toEqual([])
      await page.context().close()
    }
  })

  test('has its end in sight beside the button that allows it, and is shown in full by the first click', async () => {
    const { page } = await open('/sessions/long')
    const end = page.locator('[data-tw-part="command-end"]')
    await eventually(() => end.evaluate(isInView)).toBe(true)
    expect(await end.innerText()).toContain('# END')
    const allow = page.locator('[data-tw-part="approval"] [data-tw-part="allow-once"]')
    expect(await allow.evaluate(isInView)).toBe(true)
    // A double click shows all of it, and allows nothing.
    await allow.dblclick()
    await page.locator('[data-tw-part="full-text"]').waitFor()
    expect(await page.locator('[data-tw-part="approval-note"]').innerText()).toContain('Everything is shown')
    expect(await page.locator('[data-state="awaiting_approval"] [data-sending="false"]').count()).toBe(1)
    expect((await page.locator('[data-tw-part="full-text"]').innerText()).match(/echo --/g)).toHaveLength(200)
    await page.context().close()
  })
})

test('names, titles and messages are marked in the lists, the inbox, the trace and the palette', async () => {
  const { page } = await open('/inbox')
  await page.locator('[data-tw-part="inbox-session"]').nth(3).waitFor()
  expect(await hiddenIn(page)).toEqual([])
  expect(await page.locator('[data-tw-part="inbox"]').innerText()).toContain(MARKS)
  await page.goto(`${new URL(page.url()).origin}/sessions/command/trace`)
  await page.locator('[data-tw-part="timeline-bar"]').first().waitFor()
  expect(await hiddenIn(page)).toEqual([])
  await page.locator('.panel [data-tab="events"]').click()
  await page.locator('[data-tw-part="event"] > button').first().click()
  expect(await hiddenIn(page)).toEqual([])
  await page.keyboard.press('Control+k')
  await page.locator('.palette [role="option"]').first().waitFor()
  expect(await hiddenIn(page)).toEqual([])
  await page.context().close()
})

test('no font draws two signs as one, on any screen', async () => {
  const { page } = await open('/sessions/command')
  const drawn = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('body *')]
        .filter(element => getComputedStyle(element).fontVariantLigatures !== 'none')
        .map(element => element.outerHTML.slice(0, 80)),
    )
  await page.locator('[data-tw-part="command"]').waitFor()
  expect(await drawn()).toEqual([])
  await page.locator('[data-tw-part="approval"] [data-tw-part="edit"]').click()
  await page.locator('[data-tw-part="schema-form"] textarea').first().waitFor()
  expect(await drawn()).toEqual([])
  // As wide as its signs are, one by one.
  const widths = await page.locator('[data-tw-part="command"]').evaluate(element => {
    const measure = (text: string) => {
      const probe = document.createElement('span')
      probe.textContent = text
      element.append(probe)
      const { width } = probe.getBoundingClientRect()
      probe.remove()
      return width
    }
    return ['--', '..', '//', '=>', '!='].map(pair => measure(pair) - 2 * measure('x'))
  })
  for (const difference of widths) expect(Math.abs(difference)).toBeLessThan(0.5)
  for (const path of ['/settings', '/tools', '/sessions/command/trace', '/reference']) {
    await page.goto(new URL(path, page.url()).href)
    await page.locator('main').waitFor()
    expect(await drawn()).toEqual([])
  }
  await page.goto('about:blank')
  await page.setContent(
    sessionPage(applyRecords(emptyView(), asking({ name: 'Bash', input: { command: 'cat -- ..//x' } }))),
  )
  expect(await drawn()).toEqual([])
  await page.context().close()
})

test('the style sheet of the packages is enough for that, also where a page sets a font', async () => {
  const { page } = await open('/sessions')
  await page.goto('about:blank')
  const theme = readFileSync(new URL('../../../packages/core/styles/theme.css', import.meta.url), 'utf8')
  const font = 'style="font:13px monospace"'
  await page.setContent(
    `<style>${theme}</style><div data-tw-part="approval"><pre ${font}><code ${font}>--</code></pre><textarea ${font}></textarea></div>`,
  )
  const ligatures = await page
    .locator('[data-tw-part], [data-tw-part] *')
    .evaluateAll(all => all.map(element => getComputedStyle(element).fontVariantLigatures))
  expect(ligatures).toEqual(['none', 'none', 'none', 'none'])
  await page.context().close()
})

const isInView = (element: Element): boolean => {
  const { top, bottom } = element.getBoundingClientRect()
  return top >= 0 && bottom <= window.innerHeight
}
