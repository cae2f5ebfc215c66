/**
 * The web app with a long session in a real browser: its number of elements, and the run time of its code until
 * the session is shown, while it is scrolled, and while a large input streams.
 */
import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import { openBrowser, visit } from '../apps/web/test/browser.ts'
import { longLog, writeSessions } from '../apps/web/test/written-session.ts'
import { inFolder } from '../packages/cli/test/launch.ts'
import type { Subject } from './spawn-subject.ts'
import { startToolwire } from './start-toolwire.ts'

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
  /** The same input at the pace of a model, over this many seconds. */
  readonly paced_s: number
  readonly paced_script_ms: number
  readonly paced_longest_task_ms: number
  /** Latency from a key to the paint of its letter, typed meanwhile: the slowest, the median, and the count. */
  readonly paced_key_ms: number
  readonly paced_key_median_ms: number
  readonly paced_keys: number
  /** From a key to the end of what the page does about it, the slowest: the rest is the browser's drawing. */
  readonly paced_taken_ms: number
}

/** Milliseconds between two pieces of the paced input. */
const PACE_MS = 1

interface WebLoad {
  /** Of the long session, in steps of ten. */
  readonly calls: number
  /** Of the streamed input. */
  readonly kb: number
}

/** The page must have been built. */
export async function web(command: readonly string[], { calls, kb }: WebLoad): Promise<WebResult> {
  return await inFolder(async folder => {
    const data = join(folder, 'data')
    const log = longLog(calls)
    await writeSessions(data, { long: log })
    const at = (paceMs: number) =>
      startToolwire({ command, data, env: { TOOLWIRE_DEMO_PACE_MS: String(paceMs) } })
    const long = await inBrowser(await at(0), async (page, url) => ({
      ...(await openLong(page, `${url}/sessions/long`, calls)),
      ...(await scrollThrough(page)),
      ...(await streamInput(page, url, kb)),
    }))
    const paced = await inBrowser(await at(PACE_MS), (page, url) => streamPaced(page, url, kb))
    return { events: log.length, calls, input_kb: kb, ...long, ...paced }
  })
}

/** Stops the server afterwards. */
async function inBrowser<T>(server: Subject, work: (page: Page, url: string) => Promise<T>): Promise<T> {
  const browser = await openBrowser()
  try {
    const { page } = await visit(browser, `${server.url}/tools`)
    return await work(page, server.url)
  } finally {
    await browser.close()
    await server.stop()
  }
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
      .locator('[data-tw-part="thread-scroll"]')
      .evaluate((box, share) => box.scrollTo(0, box.scrollHeight * share), step / STEPS)
    await page.evaluate(() => new Promise(requestAnimationFrame))
    most = Math.max(most, await countElements(page))
  }
  return { elements_scrolled: most, scroll_script_ms: await clock(), scroll_steps: STEPS }
}

const BOX = '[data-tw-part="composer-box"] textarea'

async function streamInput(page: Page, url: string, kb: number) {
  const { script_ms, longest_ms } = await askForInput(page, url, kb)
  return { input_script_ms: script_ms, input_longest_task_ms: longest_ms }
}

/** Interval between two keys: twice as fast as people type. */
const KEY_MS = 50

/** Types from the first piece of the input until its question is shown. */
async function streamPaced(page: Page, url: string, kb: number) {
  let over = false
  const began = performance.now()
  const typing = async () => {
    await page.locator('[data-state="building"]').waitFor()
    await page.evaluate(() => {
      const { seen } = window as unknown as { seen: Record<string, number[]> }
      for (const durations of Object.values(seen)) durations.length = 1
    })
    while (!over) await page.keyboard.press('x', { delay: KEY_MS })
  }
  const [{ script_ms, longest_ms, keys, taken }] = await Promise.all([
    askForInput(page, url, kb).finally(() => {
      over = true
    }),
    typing(),
  ])
  const paced_s = (performance.now() - began) / 1000
  return {
    paced_s,
    paced_script_ms: script_ms,
    paced_longest_task_ms: longest_ms,
    paced_key_ms: keys.at(-1) ?? 0,
    paced_taken_ms: Math.max(...taken),
    paced_key_median_ms: keys[Math.floor(keys.length / 2)] ?? 0,
    paced_keys: keys.length,
  }
}

async function askForInput(page: Page, url: string, kb: number) {
  await page.goto(url)
  await page.evaluate(() => {
    const seen = { longtask: [0], event: [0], taken: [0] }
    const watch = (type: string, init: object, see: (entry: PerformanceEventTiming) => void) =>
      new PerformanceObserver(list => {
        for (const entry of list.getEntries()) see(entry as PerformanceEventTiming)
      }).observe({ type, ...init })
    watch('longtask', {}, ({ duration }) => seen.longtask.push(duration))
    watch('event', { durationThreshold: 16 }, ({ name, duration, startTime, processingEnd }) => {
      // Of a key's three events the first waits the longest.
      if (name !== 'keydown') return
      seen.event.push(duration)
      seen.taken.push(processingEnd - startTime)
    })
    Object.assign(window, { seen })
  })
  const clock = await scriptClock(page)
  await page.fill(BOX, `/big ${kb}`)
  await page.keyboard.press('Enter')
  await page.locator('[data-state="awaiting_approval"]').waitFor({ timeout: 600_000 })
  const { longtask, event, taken } = await page.evaluate(
    () => (window as unknown as { seen: Record<'longtask' | 'event' | 'taken', number[]> }).seen,
  )
  const keys = event.slice(1).sort((a, b) => a - b)
  return { script_ms: await clock(), longest_ms: Math.max(...longtask), keys, taken }
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
