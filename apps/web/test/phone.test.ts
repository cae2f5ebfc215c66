import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { devices, type Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ended, eventually, say, setUpProduct } from './product.ts'

const { open, product } = setUpProduct()

const { userAgent: _, ...phone } = devices['Pixel 5'] ?? {}
const file = (name: string): string => join(product().folder, 'data/workspace', name)
const above = (page: Page) => page.locator('.chat-foot .waiting-card')
/** An answer to scroll away from what follows. */
async function scrollable(page: Page): Promise<void> {
  await say(page, '/long 900')
  await ended(page)
}
const toTop = (page: Page) =>
  page.locator('[data-tw-part="thread-scroll"]').evaluate(box => {
    box.dispatchEvent(new WheelEvent('wheel'))
    box.scrollTo(0, 0)
  })

test('on a phone a waiting card is shown above the composer while it is out of sight', async () => {
  const { page, problems } = await open('/', phone)
  await scrollable(page)
  await say(page, 'run `touch from-the-foot.txt`')
  const own = page.locator('[data-tw-part="thread-scroll"] [data-state="awaiting_approval"]')
  await own.locator('[data-tw-part="allow-once"]').waitFor()
  // It is shown once in place.
  await eventually(() => above(page).count()).toBe(0)
  await toTop(page)
  await above(page).waitFor()
  expect(await above(page).innerText()).toContain('touch from-the-foot.txt')
  const [card, box] = await Promise.all([
    above(page).boundingBox(),
    page.locator('[data-tw-part="composer-box"]').boundingBox(),
  ])
  expect((card?.y ?? 0) + (card?.height ?? 0)).toBeLessThanOrEqual(box?.y ?? 0)
  for (const name of ['allow-once', 'deny']) {
    const button = await above(page).locator(`[data-tw-part="${name}"]`).boundingBox()
    expect(button?.height).toBeGreaterThanOrEqual(44)
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(box?.y ?? 0)
  }
  // Names of elements are still those of one element each.
  const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map(({ id }) => id))
  expect(ids).toHaveLength(new Set(ids).size)
  // Its place again: it goes from here.
  await page
    .locator('[data-tw-part="thread-scroll"]')
    .evaluate(thread => thread.scrollTo(0, thread.scrollHeight))
  await eventually(() => above(page).count()).toBe(0)
  await toTop(page)
  await above(page).locator('[data-tw-part="allow-once"]').click()
  await ended(page, 2)
  await eventually(() => above(page).count()).toBe(0)
  expect(existsSync(file('from-the-foot.txt'))).toBe(true)
  expect(problems).toEqual([])
  await page.context().close()
})

test('on a wide screen a bar leads to the card instead', async () => {
  const { page } = await open()
  await scrollable(page)
  await say(page, 'run `touch from-the-bar.txt`')
  await page.locator('[data-tw-part="thread-scroll"] [data-state="awaiting_approval"]').waitFor()
  await toTop(page)
  await page.locator('.waiting-bar').waitFor()
  expect(await above(page).count()).toBe(0)
  await page.locator('.waiting-bar button').click()
  const allow = page.locator(
    '[data-tw-part="thread-scroll"] [data-state="awaiting_approval"] [data-tw-part="allow-once"]',
  )
  await eventually(() => allow.evaluate(button => button === document.activeElement)).toBe(true)
  await page.context().close()
})
