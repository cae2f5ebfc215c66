/** Several tabs of one browser that show the same session. */
import type { BrowserContext, Page, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { visit } from './browser.ts'
import { card, ended, eventually, say, setHidden, setUpProduct, startProduct } from './product.ts'

const { browser, open } = setUpProduct()

/** Streams of records that the pages of this browser have open now. */
function openStreams(context: BrowserContext): () => number {
  const open = new Set<Request>()
  const isStream = (url: string) => url.includes('/events?') && url.includes('wire=canonical')
  context.on('request', request => {
    if (isStream(request.url())) open.add(request)
  })
  context.on('requestfailed', request => open.delete(request))
  context.on('requestfinished', request => open.delete(request))
  // A closed page does not report the end of its requests.
  return () => [...open].filter(request => !request.frame().page().isClosed()).length
}

const state = (page: Page) => page.locator('[data-tw-part="connection"]').getAttribute('data-state')
const answer = (page: Page) => page.locator('[data-role="assistant"] [data-tw-part="text"]').allInnerTexts()

async function another(page: Page): Promise<Page> {
  const other = await page.context().newPage()
  await other.goto(page.url())
  await eventually(() => state(other)).toBe('live')
  return other
}

test('tabs with the same session share one stream and stay in step', async () => {
  const { page } = await open('/tools')
  const streams = openStreams(page.context())
  await page.goto(page.url().replace('/tools', '/'))
  await say(page, 'what time is it')
  await ended(page)
  const others = [await another(page), await another(page)]
  await eventually(streams).toBe(1)
  await say(others[0] ?? page, 'run `touch shared.txt`')
  for (const tab of [page, ...others]) await card(tab, 'awaiting_approval').waitFor()
  await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
  for (const tab of [page, ...others]) await ended(tab, 2)
  const [first, ...rest] = await Promise.all([page, ...others].map(answer))
  for (const texts of rest) expect(texts).toEqual(first)
  expect(streams()).toBe(1)
  await page.context().close()
})

test('when the tab that reads is closed in the middle of an answer, another reads on without a gap', async () => {
  const own = await startProduct({ env: { TOOLWIRE_DEMO_PACE_MS: '5' } })
  try {
    const { page } = await visit(browser(), own.url)
    const streams = openStreams(page.context())
    await say(page, 'what time is it')
    await ended(page)
    const other = await another(page)
    await eventually(streams).toBe(1)
    await say(page, '/long 300')
    await eventually(async () => (await answer(other)).join('').length).toBeGreaterThan(200)
    await page.close()
    await ended(other, 2)
    expect(streams()).toBe(1)
    const seen = await answer(other)
    await other.reload()
    await ended(other, 2)
    expect(seen).toEqual(await answer(other))
    await other.context().close()
  } finally {
    await own.stop()
  }
})

test('a hidden tab hands the stream over and continues when it is visible again', async () => {
  const { page } = await open()
  await say(page, 'what time is it')
  await ended(page)
  const other = await another(page)
  const released = page.waitForEvent('requestfailed', request => request.url().includes('/events'))
  const taken = other.waitForRequest(request => request.url().includes('/events'))
  await setHidden(page, true)
  await released
  await taken
  await say(other, 'and what day')
  await ended(other, 2)
  await setHidden(page, false)
  await ended(page, 2)
  expect(await answer(page)).toEqual(await answer(other))
  await page.context().close()
})
