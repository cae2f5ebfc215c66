/** The side panel: review and undo of changes, the files of the workspace, its width. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ended, eventually, folded, say, setUpProduct, toolCard } from './product.ts'

const { open, product } = setUpProduct()
const file = (name: string): string => join(product().folder, 'data/workspace', name)

/** Sends a request and allows everything that it asks for. */
async function run(page: Page, text: string, n: number): Promise<void> {
  await say(page, text)
  const done = page
    .locator('[data-row^="end:"]')
    .nth(n - 1)
    .locator('[data-tw-part="turn-footer"]')
  const allow = page.locator('[data-tw-part="thread-scroll"] [data-tw-part="allow-once"]:enabled')
  for (;;) {
    await done.or(allow.first()).first().waitFor()
    if (await done.count()) return
    await allow.first().click()
    await eventually(async () => (await allow.count()) === 0 || (await done.count()) > 0).toBe(true)
  }
}

test('changes are reviewed as one diff and undone by file, call and session', async () => {
  const { page, problems } = await open()
  const before = readFileSync(file('src/greet.ts'), 'utf8')
  await run(page, 'replace TODO with DONE in src/greet.ts', 1)
  await run(page, 'create the file notes/plan.md with the content «One plan»', 2)
  expect(readFileSync(file('src/greet.ts'), 'utf8')).not.toBe(before)
  expect(existsSync(file('notes/plan.md'))).toBe(true)

  // From a card to the changes of that call alone.
  await folded(page)
  await toolCard(page, 'Edit').locator('[data-tw-part="tool-header"]').click()
  await toolCard(page, 'Edit').locator('.review-change').click()
  await eventually(() => page.locator('.changed-files > li').count()).toBe(1)
  expect(new URL(page.url()).pathname).toMatch(/\/changes$/)
  await page.locator('.changes-head select').selectOption('')
  await eventually(() => page.locator('.changed-files > li').count()).toBe(2)
  const names = page.locator('.changed-name > code')
  expect(await names.allInnerTexts()).toEqual(['src/greet.ts', 'notes/plan.md'])
  expect(await page.locator('.changes [data-line="add"]').innerText()).toContain('DONE')
  expect(await page.locator('.changes [data-line="remove"]').innerText()).toContain('TODO')

  // One file, then the rest after a question that lists it.
  await page.locator('.changed-files > li').nth(1).locator('.quiet-undo').click()
  await eventually(() => page.locator('.changed-files > li').count()).toBe(1)
  expect(existsSync(file('notes/plan.md'))).toBe(false)
  await page.locator('.changes-head > .button').click()
  expect(await page.locator('dialog[open]').innerText()).toContain('src/greet.ts')
  await page.locator('dialog[open] .button.primary').click()
  await eventually(() => readFileSync(file('src/greet.ts'), 'utf8')).toBe(before)
  await eventually(() => page.locator('.changed-files > li').count()).toBe(0)

  // A command cannot be undone, and the panel says so.
  expect(await page.locator('.irreversible').count()).toBe(0)
  await run(page, 'run `touch left-behind.txt`', 3)
  await page.locator('.irreversible').waitFor()
  await page.locator('.irreversible .link-button').first().click()
  expect(await page.locator('.irreversible').innerText()).toContain('touch left-behind.txt')
  expect(problems).toEqual([])
  await page.context().close()
})

test('a file that another program changed since is kept and named', async () => {
  const { page } = await open()
  await run(page, 'create the file kept.md with the content «Mine»', 1)
  writeFileSync(file('kept.md'), 'not mine any more')
  await page.keyboard.press('Control+.')
  await page.locator('.panel [data-tab="changes"]').click()
  const row = page.locator('.changed-files > li[data-state="conflict"]')
  await row.waitFor()
  expect(await row.locator('.changed-note').innerText()).toBe('Changed since by another program')
  expect(await row.locator('.quiet-undo').count()).toBe(0)
  expect(readFileSync(file('kept.md'), 'utf8')).toBe('not mine any more')
  await page.context().close()
})

test('the workspace is a tree with previews; links and what Read may not open are locked', async () => {
  const { page, problems } = await open()
  await run(page, 'run `pwd`', 1)
  symlinkSync('/etc/hostname', file('leads-out'))
  mkdirSync(file('deep'), { recursive: true })
  writeFileSync(file('deep/bytes.bin'), Buffer.from([0, 1, 2, 0]))
  writeFileSync(file('deep/large.txt'), 'line\n'.repeat(200_000))
  await page.keyboard.press('Control+.')
  await page.locator('.panel [data-tab="files"]').click()
  const row = (name: string) => page.locator('.file-row', { has: page.getByText(name, { exact: true }) })
  await row('leads-out').waitFor()
  expect(await row('leads-out').getAttribute('data-denied')).toBe('true')

  await row('data').click()
  await row('sales.csv').click()
  await eventually(() => page.locator('.file-preview tbody tr').count()).toBe(7)
  const address = page.url()
  expect(address).toMatch(/\/files\/data\/sales\.csv$/)
  await page.reload()
  await eventually(() => page.locator('.file-preview tbody tr').count()).toBe(7)
  const saved = page.waitForEvent('download')
  await page.locator('.file-preview header .button').nth(1).click()
  expect((await saved).suggestedFilename()).toBe('sales.csv')

  await page.goto(address.replace('data/sales.csv', 'deep/bytes.bin'))
  await eventually(() => page.locator('.file-preview').innerText()).toContain('Not text')
  await page.goto(address.replace('data/sales.csv', 'deep/large.txt'))
  await eventually(() => page.locator('.file-preview').innerText()).toContain('The beginning is shown')
  expect(await page.evaluate(() => document.getElementsByTagName('*').length)).toBeLessThan(4000)
  await page.goto(address.replace('data/sales.csv', 'leads-out'))
  await page.locator('.file-preview [role="alert"]').waitFor()
  expect(problems.filter(text => !/40[34]/.test(text))).toEqual([])
  await page.context().close()
})

test('the panel is resized by the keyboard and keeps its width', async () => {
  const { page } = await open()
  await say(page, 'hello')
  await ended(page)
  await page.keyboard.press('Control+.')
  const handle = page.locator('.panel-handle')
  const width = async () => Math.round((await page.locator('.panel').boundingBox())?.width ?? 0)
  await eventually(width).toBe(400)
  await handle.press('ArrowLeft')
  await handle.press('ArrowLeft')
  await eventually(width).toBe(448)
  await page.reload()
  await eventually(width).toBe(448)
  for (let n = 0; n < 12; n++) await handle.press('ArrowRight')
  await eventually(width).toBe(320)
  await page.context().close()
})
