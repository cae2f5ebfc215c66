/** What users do every day in a session: stop it, read long output, lose the network, change the permission mode. */
import { describe, expect, test } from 'vitest'
import { Script } from '../../../packages/core/test/view/script.ts'
import { card, ended, eventually, say, setUpProduct, toolCard } from './product.ts'
import { writeSessions } from './written-session.ts'

/** Broken between letters, these columns would fit any screen. */
const CELLS = Array.from({ length: 16 }, (_, n) => `uninterrupted-${n}`)
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const TABLE = [row(CELLS), row(CELLS.map(() => '---')), row(CELLS)].join('\n')
const NESTED = TABLE.replaceAll(/^/gm, '  ').replace(/^ {2}/, '- item\n\n  ')

const RED = '\u001b[31mred\u001b[0m'

function tables() {
  const script = new Script().created().ask('Two tables')
  script
    .turn('m1')
    .text('m1', 0, [`${TABLE}\n\n${NESTED}\n`])
    .endTurn('m1')
    .completeRun()
  return script.records
}

/** Both streams were printed to, so the recorded result alone does not have their order. */
function colors() {
  const script = new Script().created().ask('Colors').turn('m1')
  script
    .call('m1', 0, 'c1', { input: { command: 'colors' } })
    .add('tool.started', { call_id: 'c1', attempt: 1 })
  for (const line of [`${RED} out\n`, `${RED} err\n`, 'plain\n'])
    script.add('tool.progress', { call_id: 'c1', output_delta: line })
  script.done('c1', 'red out\nred err\nplain').endTurn('m1').completeRun()
  return script.records
}

const { open, product } = setUpProduct({
  prepare: data => writeSessions(data, { tables: tables(), colors: colors() }),
})

test.each([
  ['a phone', 390],
  ['a tablet', 820],
  ['a desktop', 1280],
])('scrolls wide tables inside the message on %s', async (_, width) => {
  const { page } = await open('/sessions/tables', { viewport: { width, height: 800 } })
  await page.locator('.table').nth(1).waitFor()
  const { boxes, thread } = await page.evaluate(() => {
    const sizes = (node: Element) => ({ inside: node.scrollWidth, shown: node.clientWidth })
    return {
      boxes: [...document.querySelectorAll('.table')].map(sizes),
      thread: [document.documentElement, ...document.querySelectorAll('[data-tw-part="thread-scroll"]')].map(
        sizes,
      ),
    }
  })
  expect(boxes).toHaveLength(2)
  for (const { inside, shown } of boxes) expect(inside).toBeGreaterThan(shown)
  const scrolled = await page.locator('.table').evaluateAll(all =>
    all.map(box => {
      box.scrollLeft = box.scrollWidth
      return box.scrollLeft > 0
    }),
  )
  expect(scrolled).toEqual([true, true])
  for (const { inside, shown } of thread) expect(inside).toBe(shown)
  await page.context().close()
})

test('keeps the colors of a command after it ended', async () => {
  const { page } = await open('/sessions/colors')
  await toolCard(page, 'Bash').locator('[data-tw-part="tool-header"]').click()
  const output = toolCard(page, 'Bash').locator('[data-tw-part="output"]')
  await eventually(() => output.locator('[data-ansi="fg-red"]').count()).toBe(2)
  expect((await output.first().innerText()).trim()).toBe('red out\nred err\nplain')
  await page.context().close()
})

test('opens the complete output from "View full", with the true number of lines and every character', async () => {
  const { page } = await open()
  await say(page, 'run `seq 1 20000; printf "%09000d\\n" 7`')
  await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
  await ended(page)
  await page.locator('.expand-all').click()
  await toolCard(page, 'Bash')
    .locator('[data-tw-part="output-hidden"] [data-tw-part="view-full"]')
    .first()
    .click()
  const pane = page.locator('.artifact-pane[open]')
  await eventually(() => pane.locator('header').innerText()).toContain('20,001 lines')
  await pane.locator('input').fill('00007')
  await page.keyboard.press('Enter')
  await eventually(() => pane.locator('.artifact-line[data-current="true"]').innerText()).toMatch(/00007$/)
  await page.context().close()
})

test('finds a session by what the assistant wrote', async () => {
  const { page } = await open()
  await page.getByRole('searchbox', { name: 'Search sessions' }).fill('uninterrupted-7')
  const found = page.locator('.sidebar a[href$="/sessions/tables"]')
  await found.waitFor()
  await eventually(() => page.locator('.sidebar a[href$="/sessions/colors"]').count()).toBe(0)
  await found.click()
  await page.locator('.table').first().waitFor()
  await page.context().close()
})

describe('Escape', () => {
  test('stops the run from the page, and leaves it alone where it closes a menu', async () => {
    const { page } = await open()
    await say(page, '/slow 60')
    const stop = page.locator('[data-tw-part="stop"]')
    await stop.waitFor()
    await page.locator('.export-button').click()
    await page.locator('.export-menu:popover-open').waitFor()
    await page.keyboard.press('Escape')
    await eventually(() => page.locator('.export-menu:popover-open').count()).toBe(0)
    expect(await stop.isVisible()).toBe(true)
    await page.locator('[data-tw-part="thread-scroll"]').focus()
    await page.keyboard.press('Escape')
    await ended(page)
    await say(page, '/slow 60')
    await stop.waitFor()
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('Escape')
    await ended(page, 2)
    await page.context().close()
  })

  test.each([
    ['a card', '[data-tw-part="tool-header"]'],
    ['the list of sessions', '.sidebar a'],
    ['the panel', '.panel [role="tab"][tabindex="0"]'],
  ])('stops the run from %s', async (_, place) => {
    const { page } = await open('/sessions/colors/trace')
    await say(page, '/slow 60')
    const stop = page.locator('[data-tw-part="stop"]')
    await stop.waitFor()
    await page.locator(place).first().focus()
    await page.keyboard.press('Escape')
    await stop.waitFor({ state: 'detached' })
    await page.context().close()
  })
})

test('shows a lost connection in plain words and clears it when the server is back', async () => {
  const { page } = await open()
  await say(page, 'what time is it')
  await ended(page)
  await page.context().setOffline(true)
  await page.route('**/api/**', route => route.abort())
  await say(page, 'list the files')
  const error = page.locator('[data-tw-part="composer"] [role="alert"]')
  await eventually(() => error.innerText()).toBe('The server cannot be reached. Send again to retry.')
  await product().crash()
  await page.unroute('**/api/**')
  await page.context().setOffline(false)
  await eventually(() => error.count()).toBe(0)
  await page.context().close()
})

test('states what a message does to the requests that wait, and can queue it instead', async () => {
  const { page } = await open()
  await say(page, 'run `touch waits.txt`')
  await card(page, 'awaiting_approval').waitFor()
  const choice = page.locator('.pending-note select')
  expect(await choice.locator('option:checked').innerText()).toBe('cancels the pending request')
  await choice.selectOption('queue')
  await say(page, 'what time is it')
  await eventually(() => page.locator('[data-row^="message:"]').count()).toBeGreaterThan(2)
  expect(await card(page, 'awaiting_approval').count()).toBe(1)
  await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
  await ended(page, 2)
  expect(await page.locator('.pending-note').count()).toBe(0)
  await page.context().close()
})

test('asks before it allows everything, and says so as long as it does', async () => {
  const { page } = await open()
  await say(page, 'what time is it')
  await ended(page)
  const mode = page.locator('select.mode')
  const banner = page.locator('.bypass-banner')
  await mode.selectOption('bypassPermissions')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  expect(await mode.inputValue()).toBe('default')
  expect(await banner.count()).toBe(0)
  await mode.selectOption('bypassPermissions')
  await page.getByRole('dialog').getByRole('button', { name: 'Allow everything' }).click()
  await banner.waitFor()
  await page.reload()
  await banner.getByRole('button', { name: 'Ask before changes' }).click()
  await eventually(() => banner.count()).toBe(0)
  expect(await mode.inputValue()).toBe('default')
  await page.context().close()
})
