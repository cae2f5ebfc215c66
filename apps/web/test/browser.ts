/** A real browser for tests and screenshots: the Chromium that npm brought, or the one that CHROME_PATH names. */
import chromium from '@sparticuz/chromium'
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core'

/** Starts it; the caller closes it. The binary is unpacked into the temporary folder once. */
export async function openBrowser(): Promise<Browser> {
  const own = process.env['CHROME_PATH']
  return await playwright.launch({
    executablePath: own ?? (await chromium.executablePath()),
    // Not the package's own arguments: they switch off the very protections that are tested here.
    args: ['--font-render-hinting=none', '--disable-gpu', '--no-zygote'],
    headless: true,
    chromiumSandbox: false,
  })
}

export interface Visit {
  readonly page: Page
  /** Messages of scripts that failed and of policies that were violated, so far. */
  readonly problems: readonly string[]
}

/** A separate page with separate storage. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    ...options,
  })
  // A hang is a failure, but the machine may be slow.
  context.setDefaultTimeout(100_000)
  const page = await context.newPage()
  const problems = watch(page)
  await page.goto(url)
  return { page, problems }
}

/** Collects what the console reports as an error. */
export function watch(page: Page): readonly string[] {
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text())
  })
  return problems
}
