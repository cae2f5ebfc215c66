import { describe, expect, test } from 'vitest'
import { elements, eventually, setUpProduct } from './product.ts'
import { longLog, writeSessions } from './written-session.ts'

const LONG = longLog(500)
const { open } = setUpProduct({ prepare: data => writeSessions(data, { long: LONG, short: longLog(10) }) })

/** What one screen needs; the rest of the session must not exist as elements. */
const SCREEN = 4000

describe('a session of 10,000 events and 500 calls', () => {
  test('opens at its end, with no more elements than a screen needs', async () => {
    expect(LONG.length).toBeGreaterThan(10_000)
    const { page, problems } = await open('/sessions/long')
    await page.locator('[data-tw-part="text"]', { hasText: 'Answer number 49.' }).waitFor()
    const end = () =>
      page
        .locator('[data-tw-part="thread-scroll"]')
        .evaluate(box => box.scrollHeight - box.scrollTop - box.clientHeight)
    await eventually(end).toBeLessThan(5)
    expect(await elements(page)).toBeLessThan(SCREEN)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('scrolls from end to end without keeping what it passed', async () => {
    const { page } = await open('/sessions/long')
    await page.locator('[data-tw-part="text"]', { hasText: 'Answer number 49.' }).waitFor()
    for (const part of [0.75, 0.5, 0.25, 0]) {
      await page
        .locator('[data-tw-part="thread-scroll"]')
        .evaluate((box, share) => box.scrollTo(0, box.scrollHeight * share), part)
      await page.locator('[data-tw-part="tool-call"]').first().waitFor()
      expect(await elements(page)).toBeLessThan(SCREEN)
    }
    await page.locator('[data-tw-part="bubble"]', { hasText: 'Question number 0' }).waitFor()
    await page.context().close()
  })

  test('all cards can be opened at once', async () => {
    const { page } = await open('/sessions/long')
    await page.locator('[data-tw-part="text"]', { hasText: 'Answer number 49.' }).waitFor()
    await page.locator('.expand-all').click()
    await page.locator('[data-tw-part="tool-call"][data-open="true"]').first().waitFor()
    expect(await page.locator('[data-tw-part="tool-call"][data-open="false"]').count()).toBe(0)
    expect(await elements(page)).toBeLessThan(SCREEN)
    await page.context().close()
  })

  test('its timeline and events hold what is in sight, and lead to calls that are not', async () => {
    const { page } = await open('/sessions/long/trace')
    await page.locator('[data-tw-part="timeline-bar"]').first().waitFor()
    expect(await elements(page)).toBeLessThan(SCREEN)
    const calls = page.locator('[data-tw-part="timeline-bar"] button:enabled')
    const before = page.locator('[data-tw-part="tool-call"]')
    const shown = await before.evaluateAll(cards => cards.map(card => card.id))
    await calls.first().click()
    await eventually(async () => {
      const now = await before.evaluateAll(cards => cards.map(card => card.id))
      return now.some(id => !shown.includes(id))
    }).toBe(true)
    await page.locator('.panel [data-tab="events"]').click()
    await eventually(() => page.locator('[data-tw-part="events-count"]').innerText()).toBe(
      String(LONG.length),
    )
    expect(await elements(page)).toBeLessThan(SCREEN)
    await page.locator('[data-tw-part="events-filter"]').fill('call499')
    await eventually(() => page.locator('[data-tw-part="event"]').count()).toBeGreaterThan(3)
    expect(await page.locator('[data-tw-part="event"]').count()).toBeLessThan(20)
    await page.context().close()
  })
})

test('a card leads to its place in the timeline', async () => {
  const { page } = await open('/sessions/short')
  const header = page.locator('#call-call7 [data-tw-part="tool-header"]')
  await header.click()
  await page.locator('#call-call7 .show-in-trace').click()
  const bar = page.locator('[data-tw-part="timeline-bar"][data-current="true"]')
  await bar.waitFor()
  expect(await bar.count()).toBe(1)
  expect(await bar.locator('[data-tw-part="timeline-name"]').innerText()).toBe('Bash')
  await page.context().close()
})
