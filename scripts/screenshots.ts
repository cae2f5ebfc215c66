/**
 * Images of the app for the documentation: starts the product with the demo model in a temporary folder, visits
 * the main screens in a real browser, and writes docs/images/*.png.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser, visit } from '../apps/web/test/browser.ts'
import { inFolder, launch } from '../packages/cli/test/launch.ts'

const OUT = process.argv[2] ?? fileURLToPath(new URL('../docs/images', import.meta.url))
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 }
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
}

await main()

async function main(): Promise<void> {
  mkdirSync(OUT, { recursive: true })
  await inFolder(async folder => {
    const server = await launch(folder, ['--port', '0', '--data', join(folder, 'data')])
    const browser = await openBrowser()
    try {
      await desktop(browser, server.url)
      await output(browser, server.url)
      await dark(browser, server.url)
      await phone(browser, server.url)
      await chinese(browser, server.url)
      await traditional(browser, server.url)
    } finally {
      await browser.close()
      await server.stop()
    }
  })
}

async function desktop(browser: Browser, url: string): Promise<void> {
  const { page } = await visit(browser, url, { ...DESKTOP, colorScheme: 'light' })
  await page.waitForSelector('.card')
  await save(page, 'home')
  await page.click('.card >> nth=0')
  await finished(page, 1)
  await page.click('[data-tool="Bash"] [data-tw-part="tool-header"]')
  await save(page, 'chat')
  await send(page, 'replace TODO with DONE in src/greet.ts')
  await page.waitForSelector('[data-tw-part="approval"]')
  await save(page, 'approval')
  await page.click('[data-tw-part="approval"] [data-tw-part="edit"]')
  await page.waitForSelector('[data-tw-part="schema-form"]')
  await save(page, 'edit')
  await page.click('[data-tw-part="back"]')
  await page.click('[data-tw-part="approval"] [data-tw-part="deny"]')
  await page.fill('[data-tw-part="form"] textarea', 'Leave the TODO, we need it')
  await save(page, 'deny')
  await page.click('[data-tw-part="submit"]')
  await finished(page, 2)
  await page.keyboard.press('Control+.')
  await page.waitForSelector('[data-tw-part="timeline-bar"]')
  await save(page, 'trace')
  await page.click('.panel [data-tab="events"]')
  await page.waitForSelector('[data-tw-part="event"]')
  await page.click('[data-tw-part="event"] >> nth=2')
  await save(page, 'events')
  await tools(page, url)
  await page.goto(`${url}/sessions`)
  await page.waitForSelector('.session-table tbody tr')
  await save(page, 'sessions')
  await page.goto(`${url}/settings`)
  await page.waitForSelector('.facts')
  await save(page, 'settings')
  await page.click('.palette-button')
  await page.waitForSelector('.palette [role="option"]')
  await save(page, 'palette')
  await page.context().close()
}

async function tools(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/tools`)
  await page.waitForSelector('.tool')
  await page.click('.tool summary >> nth=0')
  await save(page, 'tools')
  await page.click('.tool-details > .button')
  await page.fill('[data-tw-part="schema-form"] textarea >> nth=0', 'grep -rn TODO src')
  await page.click('[data-tw-part="schema-form"] button[type="submit"]')
  await page.waitForSelector('.tried [data-tw-part="tool-call"][data-state="success"]')
  await page.evaluate(() => document.querySelector('.tried')?.scrollIntoView({ block: 'end' }))
  await save(page, 'try-tool')
}

/** A command that is still running, and the whole output of one that has ended. */
async function output(browser: Browser, url: string): Promise<void> {
  const { page } = await visit(browser, url, { ...DESKTOP, colorScheme: 'light' })
  await send(page, 'run `for n in $(seq 1 900); do echo "test $n passed"; sleep 0.02; done`')
  await page.click('[data-tw-part="allow-once"]')
  await page.waitForFunction(() => document.body.innerText.includes('test 40 passed'))
  await save(page, 'running')
  await page.click('[data-tw-part="stop-call"]')
  await finished(page, 1)
  await send(page, 'run `seq -f "case %g of the report" 1 9000`')
  const asked = page.locator('[data-tw-part="allow-once"]')
  await asked
    .or(page.locator('[data-row^="end:"] >> nth=1 >> [data-tw-part="turn-footer"]'))
    .first()
    .waitFor()
  if (await asked.count()) await asked.click()
  await finished(page, 2)
  await page.click('[data-tool="Bash"] >> nth=1 >> [data-tw-part="tool-header"]')
  await page.click('.full-output')
  await page.fill('.pane-search input', 'case 4242')
  await page.keyboard.press('Enter')
  await save(page, 'full-output')
  await page.context().close()
}

async function dark(browser: Browser, url: string): Promise<void> {
  const { page } = await visit(browser, url, { ...DESKTOP, colorScheme: 'light' })
  await page.click('.card >> nth=2')
  await finished(page, 1)
  await save(page, 'page-tool')
  await send(page, '/ask')
  await page.waitForSelector('[data-tw-part="approval"]')
  await save(page, 'dark')
  await page.goto(`${url}/inbox`)
  await page.waitForSelector('[data-tw-part="approval"]')
  await save(page, 'inbox')
  await page.context().close()
}

async function phone(browser: Browser, url: string): Promise<void> {
  const { page } = await visit(browser, url, { ...PHONE, colorScheme: 'light' })
  await page.waitForSelector('.card')
  await save(page, 'phone-home')
  await page.click('.card >> nth=1')
  await page.waitForSelector('[data-tw-part="approval"]')
  await save(page, 'phone-approval')
  await page.click('.menu-button')
  await page.waitForTimeout(300)
  await save(page, 'phone-menu')
  await page.context().close()
}

async function chinese(browser: Browser, url: string): Promise<void> {
  const { page } = await visit(browser, url, { ...DESKTOP, colorScheme: 'light', locale: 'zh-CN' })
  await page.waitForSelector('.card')
  await save(page, 'home-zh')
  await page.click('.card >> nth=0')
  await finished(page, 1)
  await send(page, '运行 `touch notes.txt`')
  await page.waitForSelector('[data-tw-part="approval"]')
  await save(page, 'chat-zh')
  await page.context().close()
}

async function traditional(browser: Browser, url: string): Promise<void> {
  const { page } = await visit(browser, url, { ...DESKTOP, colorScheme: 'dark', locale: 'zh-TW' })
  await page.waitForSelector('.card')
  await send(page, '執行 `touch notes.txt`')
  await page.waitForSelector('[data-tw-part="approval"]')
  await save(page, 'chat-zh-tw')
  await page.context().close()
}

async function send(page: Page, text: string): Promise<void> {
  await page.fill('[data-tw-part="composer-box"] textarea', text)
  await page.keyboard.press('Enter')
}

/** Waits for the end of the n-th exchange, and for cards to have folded. */
async function finished(page: Page, n: number): Promise<void> {
  await page.waitForSelector(`[data-row^="end:"] >> nth=${n - 1} >> [data-tw-part="turn-footer"]`)
  await page.waitForTimeout(800)
}

async function save(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready)
  await page.waitForTimeout(350)
  await page.screenshot({ path: join(OUT, `${name}.png`) })
}
