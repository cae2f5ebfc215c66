/** The product as a visitor meets it: the built page, the real server, the demo model, a real browser. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Launched, launch } from '../../../packages/cli/test/launch.ts'
import { openBrowser, visit } from './browser.ts'

const WEB = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = [
  'src',
  '../../packages/react/src',
  '../../packages/client/src',
  '../../packages/core/src/view',
  '../../packages/core/styles',
]

/** Builds the page unless what is there is newer than every source. One test file builds, the others wait. */
async function buildPage(): Promise<void> {
  while (!tryLock()) await new Promise(resolve => setTimeout(resolve, 100))
  try {
    buildIfOld()
  } finally {
    rmSync(LOCK, { force: true })
  }
}

/** Of this checkout alone. */
const LOCK = join(WEB, 'node_modules', '.build-lock')

/** Only one process can make the link. It names that process, so that one left behind by a dead process is void. */
function tryLock(): boolean {
  try {
    mkdirSync(join(WEB, 'node_modules'), { recursive: true })
    symlinkSync(String(process.pid), LOCK)
    return true
  } catch {
    if (!isAlive(holderOf(LOCK))) rmSync(LOCK, { force: true })
    return false
  }
}

/** Undefined when there is no lock any more. */
function holderOf(lock: string): number | undefined {
  try {
    return Number(readlinkSync(lock))
  } catch {
    return undefined
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return true
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function buildIfOld(): void {
  const page = join(WEB, 'dist/index.html')
  const built = existsSync(page) ? statSync(page).mtimeMs : 0
  if (SOURCES.every(folder => newest(join(WEB, folder)) < built)) return
  const vite = join(fileURLToPath(import.meta.resolve('vite/package.json')), '../bin/vite.js')
  // In a separate process: a test run's NODE_ENV would build the slow form of every library.
  execFileSync(process.execPath, [vite, 'build', WEB, '--logLevel', 'error'], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  })
}

const newest = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
      path => statSync(join(folder, path)).mtimeMs,
    ),
  )

export interface Product {
  readonly url: string
  readonly folder: string
  /** Ends the server without warning and starts it again at the same address, on the same data. */
  readonly crash: () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface ProductOptions {
  readonly env?: Record<string, string>
  /** Fills the data folder before the server starts. */
  readonly prepare?: (data: string) => Promise<void>
}

/** Starts the server in a temporary folder, which `stop` removes. */
export async function startProduct({ env = {}, prepare }: ProductOptions = {}): Promise<Product> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-web-'))
  await prepare?.(join(folder, 'data'))
  let server: Launched = await launch(folder, ['--port', '0', '--data', join(folder, 'data')], env)
  const { url } = server
  const { port } = new URL(url)
  return {
    url,
    folder,
    async crash() {
      await server.stop('SIGKILL')
      server = await launch(folder, ['--port', port, '--data', join(folder, 'data')], env)
    },
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A product and a browser for all tests of a file; closed after them. */
export function setUpProduct(options: ProductOptions = {}) {
  let browser: Browser | undefined
  let product: Product | undefined
  beforeAll(async () => {
    await buildPage()
    product = await startProduct(options)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await product?.stop()
  })
  const started = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('not started')
    return value
  }
  return {
    browser: () => started(browser),
    product: () => started(product),
    /** A page of the product, with separate storage. */
    open: (path = '/', options: BrowserContextOptions = {}) =>
      visit(started(browser), started(product).url + path, options),
  }
}

/** Tries until it holds; what never holds fails. */
export const eventually = <T>(read: () => T) => expect.poll(read)

const BOX = '[data-tw-part="composer-box"] textarea'

/** Types a message and sends it with Enter. */
export async function say(page: Page, text: string): Promise<void> {
  await page.fill(BOX, text)
  await page.press(BOX, 'Enter')
}

/** Waits until the n-th exchange has ended and what it took is shown. */
export async function ended(page: Page, n = 1): Promise<void> {
  await page
    .locator('[data-row^="end:"]')
    .nth(n - 1)
    .locator('[data-tw-part="turn-footer"]')
    .waitFor()
}

/** Waits until cards that lingered after their end have closed. */
export async function folded(page: Page): Promise<void> {
  const open = page.locator('[data-state="success"][data-open="true"]')
  await eventually(() => open.count()).toBe(0)
}

/** A card of a tool call by its state. */
export const card = (page: Page, state: string) =>
  page.locator(`[data-tw-part="tool-call"][data-state="${state}"]`)

/** The card of a tool call by the tool's name. */
export const toolCard = (page: Page, tool: string) =>
  page.locator(`[data-tw-part="tool-call"][data-tool="${tool}"]`)

/** How many elements the page consists of. */
export const elements = (page: Page): Promise<number> =>
  page.evaluate(() => document.getElementsByTagName('*').length)

/** Lets the page believe that it is hidden, or seen again. */
export async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(value => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => value })
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (value ? 'hidden' : 'visible'),
    })
    document.dispatchEvent(new Event('visibilitychange'))
  }, hidden)
}
