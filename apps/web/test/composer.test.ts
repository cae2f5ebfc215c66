import { devices } from 'playwright-core'
import { expect, test } from 'vitest'
import { card, ended, eventually, say, setUpProduct } from './product.ts'

const { open } = setUpProduct()

const { userAgent: _, ...phone } = devices['Pixel 5'] ?? {}
const BOX = '[data-tw-part="composer-box"] textarea'

test('unsent text survives a reload, on the first page and in a session, and is gone once it is sent', async () => {
  const { page } = await open()
  await page.fill(BOX, 'half a thought')
  await page.reload()
  await eventually(() => page.locator(BOX).inputValue()).toBe('half a thought')
  await page.fill(BOX, 'list the files')
  await page.press(BOX, 'Enter')
  await ended(page)
  await page.fill(BOX, 'another thought')
  await page.reload()
  await eventually(() => page.locator(BOX).inputValue()).toBe('another thought')
  await page.goto(new URL('/', page.url()).href)
  await page.locator('.card').first().waitFor()
  expect(await page.locator(BOX).inputValue()).toBe('')
  await page.context().close()
})

test.each([
  ['a phone', phone],
  ['a desktop', {}],
] as const)(
  'on %s the model and the mode are chosen before the first message, and stay in sight',
  async (_name, device) => {
    const { page, problems } = await open('/', device)
    await eventually(() => page.locator('.home-model option').allInnerTexts()).toEqual(['demo'])
    expect(await page.locator('.home-status').innerText()).toBe('Using the demo model, no key needed')
    await page.locator('.home select.mode').selectOption('plan')
    await say(page, 'list the files')
    await ended(page)
    expect(await page.locator('.chat-foot .model').isVisible()).toBe(true)
    expect(await page.locator('.chat-foot select.mode').inputValue()).toBe('plan')
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
    expect(wide).toBe(false)
    expect(problems).toEqual([])
    await page.context().close()
  },
)

test('a folded card shows its outcome: the reason of a denial, the lines of a change', async () => {
  const { page } = await open()
  await say(page, 'replace Hello with Welcome in src/greet.ts')
  const asked = card(page, 'awaiting_approval')
  await asked.locator('[data-tw-part="deny"]').click()
  await page.fill('[data-tw-part="form"] textarea', 'leave it alone')
  await page.click('[data-tw-part="submit"]')
  await ended(page)
  await eventually(() => card(page, 'denied').locator('[data-tw-part="tool-outcome"]').innerText()).toBe(
    'leave it alone',
  )
  await say(page, '把 Hello 改成「哈囉」，兩個檔案都要')
  await eventually(() => page.locator('[data-tw-part="approval-batch"] > span').innerText()).toBe('2 Edit')
  await page.locator('[data-tw-part="approval-batch"] [data-tw-part="allow-once"]').click()
  await ended(page, 2)
  const changed = page.locator('[data-tool="Edit"][data-state="success"] [data-tw-part="tool-outcome"]')
  await eventually(() => changed.first().innerText()).toBe('+1 −1')
  await page.context().close()
})
