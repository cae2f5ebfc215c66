/** Versions of messages and the queue, as a user meets them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { card, ended, eventually, say, setUpProduct } from './product.ts'

const { open, product } = setUpProduct()
const BOX = '[data-tw-part="composer-box"] textarea'
const asked = (page: Page) => page.locator('[data-role="user"] [data-tw-part="bubble"]').allInnerTexts()
const position = (page: Page) => page.locator('[data-tw-part="branch-position"]').allInnerTexts()

async function edit(page: Page, text: string): Promise<void> {
  const message = page.locator('[data-role="user"]').first()
  await message.hover()
  await message.locator('[data-tw-part="edit-message"]').click()
  await page.fill('[data-tw-part="message-editor"] textarea', text)
  await page.press('[data-tw-part="message-editor"] textarea', 'Enter')
}

test('an edited message is another version, and both can be read with what follows them', async () => {
  const { page, problems } = await open()
  await say(page, 'list the files')
  await ended(page)
  await say(page, 'read README.md')
  await ended(page, 2)
  await edit(page, 'read sales.csv')
  await eventually(() => asked(page)).toEqual(['read sales.csv'])
  await ended(page)
  expect(await position(page)).toEqual(['2 of 2'])
  expect(await page.locator('[data-tw-part="branch-later"]').innerText()).toBe(
    '1 later messages are in another version',
  )
  await page.locator('[data-tw-part="branch-previous"]').click()
  await eventually(() => asked(page)).toEqual(['list the files', 'read README.md'])
  await page.reload()
  await eventually(() => asked(page)).toEqual(['list the files', 'read README.md'])
  await eventually(() => position(page)).toEqual(['1 of 2'])
  await page.locator('[data-tw-part="branch-next"]').click()
  await eventually(() => asked(page)).toEqual(['read sales.csv'])
  expect(problems).toEqual([])
  await page.context().close()
})

test('Escape leaves an edit without a change', async () => {
  const { page } = await open()
  await say(page, 'list the files')
  await ended(page)
  await page.locator('[data-role="user"]').hover()
  await page.locator('[data-tw-part="edit-message"]').click()
  await page.fill('[data-tw-part="message-editor"] textarea', 'something else')
  await page.press('[data-tw-part="message-editor"] textarea', 'Escape')
  expect(await asked(page)).toEqual(['list the files'])
  expect(await position(page)).toEqual([])
  await page.context().close()
})

test('a regenerated answer asks about changed files first, and restores them on request', async () => {
  const { page } = await open()
  await say(page, 'replace Hello with Welcome in src/greet.ts')
  await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
  await ended(page)
  const file = () => readFileSync(join(product().folder, 'data/workspace/src/greet.ts'), 'utf8')
  expect(file()).toContain('Welcome')
  await page.locator('[data-tw-part="regenerate"]').click()
  const choice = page.locator('[data-tw-part="version-choice"]')
  await eventually(() => choice.locator('li').allInnerTexts()).toEqual(['src/greet.ts'])
  expect(await position(page)).toEqual([])
  await choice.locator('[data-tw-part="restore"]').click()
  await card(page, 'awaiting_approval').waitFor()
  expect(file()).toContain('Hello')
  await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
  await ended(page)
  await eventually(() => position(page)).toEqual(['2 of 2'])
  await page.context().close()
})

test('messages that wait are edited, moved, sent to the run and removed', async () => {
  const { page } = await open()
  await say(page, '/slow 600')
  await page.locator('[data-tw-part="stop"]').waitFor()
  const waiting = () => page.locator('[data-tw-part="queued-text"]').allInnerTexts()
  for (const text of ['first', 'second', 'third']) {
    await say(page, text)
    await eventually(waiting).toContain(text)
    await eventually(() => page.locator(BOX).inputValue()).toBe('')
  }
  await eventually(waiting).toEqual(['first', 'second', 'third'])
  await page.locator('[data-tw-part="queue-up"]').last().click()
  await eventually(waiting).toEqual(['first', 'third', 'second'])
  await page.locator('[data-tw-part="queue-edit"]').first().click()
  await page.fill('[data-tw-part="queued"] textarea', 'first, but better')
  await page.press('[data-tw-part="queued"] textarea', 'Enter')
  await eventually(waiting).toEqual(['first, but better', 'third', 'second'])
  await page.locator('[data-tw-part="queue-remove"]').nth(1).click()
  await eventually(waiting).toEqual(['first, but better', 'second'])
  await page.locator('[data-tw-part="stop"]').click()
  await eventually(() => page.locator('[data-tw-part="queue-held"]').innerText()).toContain(
    'Waiting after a stop',
  )
  await page.locator('[data-tw-part="queue-resume"]').click()
  await eventually(waiting).toEqual([])
  await eventually(() => asked(page)).toEqual(['/slow 600', 'first, but better', 'second'])
  expect(await page.locator(BOX).inputValue()).toBe('')
  await page.context().close()
})
