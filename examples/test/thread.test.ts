/** The packages' thread in a real browser, drawn by both frameworks: long sessions, readers that scroll, answers half written. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, visit } from '../../apps/web/test/browser.ts'
import { longLog, writeSessions } from '../../apps/web/test/written-session.ts'
import { type Launched, launch } from '../../packages/cli/test/launch.ts'
import { Script } from '../../packages/core/test/view/script.ts'
import { type Example, startExample } from './start-example.ts'

const SCROLL = '[data-tw-part="thread-scroll"]'
/** What one screen needs; the rest of a long session must not exist as elements. */
const SCREEN = 2500

let browser: Browser
let server: Launched
const folder = mkdtempSync(join(tmpdir(), 'toolwire-thread-'))
beforeAll(async () => {
  const logs = Object.fromEntries(
    ['react', 'vue'].flatMap(name => [
      [`long-${name}`, longLog(500)],
      [`short-${name}`, longLog(20)],
      [`asks-${name}`, asking()],
    ]),
  )
  await writeSessions(join(folder, 'data'), logs)
  server = await launch(folder, ['--port', '0', '--data', join(folder, 'data')])
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A long session at whose end something waits. */
function asking(): ReturnType<typeof longLog> {
  const script = new Script()
  script.records.push(...longLog(200))
  script.ask('late', 'late').turn('late')
  script.call('late', 0, 'asked', { name: 'Write', input: { file_path: 'a', content: 'b' } })
  const asks = { approval_id: 'ap1', call_id: 'asked', name: 'Write', allow_edit: true }
  return script.add('tool.approval_requested', asks).records
}

const elements = (page: Page) => page.evaluate(() => document.querySelectorAll('*').length)
const fromEnd = (page: Page) =>
  page.locator(SCROLL).evaluate(box => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight))
/** As a reader does it: with the wheel under his finger. */
const scrollTo = (page: Page, share: number) =>
  page.locator(SCROLL).evaluate((box, part) => {
    box.dispatchEvent(new WheelEvent('wheel'))
    box.scrollTo(0, box.scrollHeight * part)
  }, share)

async function toTop(page: Page): Promise<void> {
  await scrollTo(page, 0)
  await page.locator('[data-tw-part="bubble"]', { hasText: 'Question number 0' }).waitFor()
}

/** The first visible row, and its position. */
const firstRow = (page: Page) =>
  page.locator(SCROLL).evaluate(box => {
    const { top } = box.getBoundingClientRect()
    const rows = [...box.querySelectorAll('[data-row]')]
    const first = rows.find(row => row.getBoundingClientRect().bottom > top)
    return [first?.getAttribute('data-row'), Math.round((first?.getBoundingClientRect().top ?? 0) - top)]
  })

/** Whether all of it is in the window; false while it does not exist. */
const isSeen = (page: Page, selector: string) =>
  page.evaluate(wanted => {
    const box = document.querySelector(wanted)?.getBoundingClientRect()
    return box !== undefined && box.top >= 0 && box.bottom <= innerHeight
  }, selector)

/** Presses the bar of the latest call. */
async function openLastOfTrace(page: Page): Promise<void> {
  await page.locator('[data-part="trace"] summary').click()
  await page.locator('[data-tw-part="timeline-bar"] button:enabled').last().click()
}

/** Whether something is as it was when it was last asked for. */
function isStill(read: () => Promise<unknown>): () => Promise<boolean> {
  let last: string | undefined
  return async () => {
    const before = last
    last = JSON.stringify(await read())
    return last === before
  }
}
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000 })

/** A message of another client; resolves when it has been answered. */
async function otherSays(session: string, message: string): Promise<void> {
  const sent = await fetch(`${server.url}/api/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: session, message }),
  })
  expect(await sent.text()).toContain('"type":"done"')
}

async function staysWithTheReader(page: Page, session: string): Promise<void> {
  await otherSays(session, 'list the files')
  await eventually(() => page.locator('[data-tool="Bash"]', { hasText: 'ls' }).count()).toBeGreaterThan(0)
  await eventually(() => fromEnd(page)).toBeLessThan(5)
  expect(await page.locator('[data-tw-part="to-end"]').count()).toBe(0)

  await page.locator(SCROLL).hover()
  await page.mouse.wheel(0, -3000)
  await page.locator('[data-tw-part="to-end"]').waitFor()
  const seen = () => firstRow(page)
  await eventually(isStill(seen)).toBe(true)
  const before = await seen()
  const requests = () => page.locator('[data-part="requests"]').innerText()
  const asked = await requests()
  await otherSays(session, 'Hello')
  await eventually(requests).not.toBe(asked)
  expect(await seen()).toEqual(before)
  await page.locator('[data-tw-part="to-end"]').click()
  await eventually(() => fromEnd(page)).toBeLessThan(5)
  await page.locator('[data-tw-part="bubble"]', { hasText: 'Hello' }).waitFor()
}

describe.each(['react', 'vue'] as const)('the thread of %s', name => {
  let example: Example
  beforeAll(async () => {
    example = await startExample(name, server.url)
  })
  afterAll(async () => await example?.stop())

  const openAt = async (session: string) => {
    const visited = await visit(browser, `${example.url}#${session}-${name}`)
    await visited.page.locator('[data-tw-part="turn-footer"]').last().waitFor()
    await eventually(() => fromEnd(visited.page)).toBeLessThan(5)
    return visited
  }

  test('a session of 500 calls opens at its end with no more elements than a screen needs, wherever one scrolls', async () => {
    const { page, problems } = await openAt('long')
    await page.locator('[data-tw-part="text"]', { hasText: 'Answer number 49.' }).waitFor()
    expect(await page.locator('[data-tw-part="thread-rows"]').getAttribute('data-flat')).toBe('false')
    expect(await elements(page)).toBeLessThan(SCREEN)
    for (const part of [0.5, 0.25]) {
      await scrollTo(page, part)
      await page.locator('[data-tw-part="tool-call"]').first().waitFor()
      expect(await elements(page)).toBeLessThan(SCREEN)
    }
    await toTop(page)
    expect(await elements(page)).toBeLessThan(SCREEN)
    expect(await page.locator('[data-tw-part="text"]', { hasText: 'Answer number 49.' }).count()).toBe(0)
    await openLastOfTrace(page)
    await eventually(() => isSeen(page, '#call-call499')).toBe(true)
    expect(await page.locator('#call-call0').count()).toBe(0)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('it stays at its end while an answer comes in, and leaves a reader who has scrolled up where he is', async () => {
    const { page, problems } = await openAt('long')
    await staysWithTheReader(page, `long-${name}`)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('a short session is drawn whole, its rows out of sight unpainted', async () => {
    const { page } = await openAt('short')
    expect(await page.locator('[data-tw-part="thread-rows"]').getAttribute('data-flat')).toBe('true')
    expect(await page.locator('[data-tw-part="tool-call"]').count()).toBe(20)
    const kinds = await page
      .locator('[data-row^="message:"]')
      .evaluateAll(rows => rows.map(row => getComputedStyle(row).contentVisibility))
    expect(new Set(kinds)).toEqual(new Set(['auto']))
    await toTop(page)
    expect(await isSeen(page, '#call-call19')).toBe(false)
    await openLastOfTrace(page)
    await eventually(() => isSeen(page, '#call-call19')).toBe(true)
    await page.context().close()
  })

  test('what waits out of sight is led to, gets the keyboard, and keeps what was written in it', async () => {
    const { page, problems } = await openAt('asks')
    await toTop(page)
    await page.locator('[data-part="waiting"]').click()
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('data-tw-part'))).toBe(
      'allow-once',
    )
    const isAskedSeen = () => isSeen(page, '#call-asked')
    await eventually(isAskedSeen).toBe(true)
    await page.locator('#call-asked [data-tw-part="deny"]').click()
    const reason = page.locator('#call-asked textarea')
    await reason.fill('not this file')
    const rightOf = (selector: string) =>
      page.locator(selector).evaluate(element => element.getBoundingClientRect().right)
    expect(await rightOf('#call-asked textarea')).toBeLessThan(await rightOf('[data-tw-part="approval"]'))
    await page.locator('[data-tw-part="composer-box"] textarea').focus()
    await toTop(page)
    expect(await isAskedSeen()).toBe(false)
    expect(await elements(page)).toBeLessThan(SCREEN)
    await page.locator('[data-part="waiting"]').click()
    await eventually(isAskedSeen).toBe(true)
    expect(await reason.inputValue()).toBe('not this file')
    expect(problems).toEqual([])
    await page.context().close()
  })
})
