/**
 * The web app with a long session in a real browser: how many elements it needs, and how long its
 * code runs until the session stands on the screen, while it is scrolled, and while a large input streams.
 */
import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import { openBrowser, visit } from '../apps/web/test/browser.ts'
import { longLog, writeSessions } from '../apps/web/test/written-session.ts'
import { inFolder, launch } from '../packages/cli/test/launch.ts'

export interface WebResult {
  readonly events: number
  readonly calls: number
  /** From the request for the page to the last answer at the end of the session. */
  readonly open_ms: number
  readonly open_script_ms: number
  readonly elements: number
  /** Most elements seen while scrolling through the whole session. */
  readonly elements_scrolled: number
  readonly scroll_script_ms: number
  readonly scroll_steps: number
  readonly input_kb: number
  readonly input_script_ms: number
  /** The longest the page did not answer while the input streamed. */
  readonly input_longest_task_ms: number
}

/** `calls` in steps of ten; `kb` is the size of the streamed input. The page must have been built. */
export async function web(calls: number, kb: number): Promise<WebResult> {
  return await inFolder(async folder => {
    const data = join(folder, 'data')
    const log = longLog(calls)
    await writeSessions(data, { long: log })
    const server = await launch(folder, ['--port', '0', '--data', data])
    const browser = await openBrowser()
    try {
      const { page } = await visit(browser, `${server.url}/tools`)
      const opened = await openLong(page, `${server.url}/sessions/long`, calls)
      const scrolled = await scrollThrough(page)
      const streamed = await streamInput(page, server.url, kb)
      return { events: log.length, calls, ...opened, ...scrolled, input_kb: kb, ...streamed }
    } finally {
      await browser.close()
      await server.stop()
    }
  })
}

async function openLong(page: Page, url: string, calls: number) {
  const clock = await scriptClock(page)
  const before = performance.now()
  await page.goto(url)
  await page.locator('[data-tw-part="text"]', { hasText: `Answer number ${calls / 10 - 1}.` }).waitFor()
  const open_ms = performance.now() - before
  return { open_ms, open_script_ms: await clock(), elements: await countElements(page) }
}

const STEPS = 50

async function scrollThrough(page: Page) {
  const clock = await scriptClock(page)
  let most = 0
  for (let step = STEPS; step >= 0; step--) {
    await page
      .locator('.thread')
      .evaluate((box, share) => box.scrollTo(0, box.scrollHeight * share), step / STEPS)
    await page.evaluate(() => new Promise(requestAnimationFrame))
    most = Math.max(most, await countElements(page))
  }
  return { elements_scrolled: most, scroll_script_ms: await clock(), scroll_steps: STEPS }
}

async function streamInput(page: Page, url: string, kb: number) {
  await page.goto(url)
  await page.evaluate(() => {
    const tasks: number[] = []
    new PerformanceObserver(list => tasks.push(...list.getEntries().map(entry => entry.duration))).observe({
      type: 'longtask',
    })
    Object.assign(window, { tasks })
  })
  const clock = await scriptClock(page)
  await page.fill('[data-tw-part="composer-box"] textarea', `/big ${kb}`)
  await page.keyboard.press('Enter')
  await page.locator('[data-state="awaiting_approval"]').waitFor({ timeout: 120_000 })
  const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks)
  return { input_script_ms: await clock(), input_longest_task_ms: Math.max(0, ...tasks) }
}

const countElements = (page: Page): Promise<number> =>
  page.evaluate(() => document.getElementsByTagName('*').length)

/** Milliseconds in which scripts of the page have run since now. */
async function scriptClock(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const before = await scriptSeconds(session)
  return async () => {
    const after = await scriptSeconds(session)
    await session.detach()
    return 1000 * (after - before)
  }
}

async function scriptSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0
}
