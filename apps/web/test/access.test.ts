import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { fixtures } from '../../../packages/vue/test/fixtures.ts'
import { visit } from './browser.ts'
import { card, ended, eventually, say, setUpProduct, startProduct } from './product.ts'
import { writeSessions } from './written-session.ts'

/** Every part in every state, without playing them. */
const PICTURES = Object.fromEntries(
  Object.entries(fixtures()).map(([name, log]) => [name.replace(/\W+/g, '-'), log]),
)
const { browser, open, product } = setUpProduct({ prepare: data => writeSessions(data, PICTURES) })

describe('every user can use it', () => {
  const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
  const screens: readonly (readonly [string, BrowserContextOptions])[] = [
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
  ]
  /** The serious problems on the screen, each with the screen's name. */
  const problemsOf = async (page: Page, screen: string): Promise<readonly string[]> => {
    await page.evaluate(axe)
    const serious = await page.evaluate(async () => {
      const { axe: checker } = window as unknown as { axe: typeof import('axe-core') }
      // Colours that a program chose to the last bit are its own.
      const { violations } = await checker.run({ exclude: ['[data-tw-part="output"] [style]'] })
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(node => node.html)].join(' '))
    })
    return serious.map(text => `${screen}: ${text}`)
  }

  test.each(screens)('no screen has a serious problem (%s)', async (_name, options) => {
    // The policy of the page would refuse the checker itself.
    const { page } = await open('/', { ...options, bypassCSP: true })
    const found: string[] = []
    const check = async (screen: string) => void found.push(...(await problemsOf(page, screen)))
    await page.locator('.card').first().waitFor()
    await check('home')
    await say(page, '/markdown')
    await ended(page)
    await say(page, '/ask')
    await card(page, 'awaiting_approval').waitFor()
    await check('chat')
    await card(page, 'awaiting_approval').locator('[data-tw-part="deny"]').click()
    await check('deny')
    await page.goto(page.url().replace(/(\/trace)?$/, '/trace'))
    await page.locator('[data-tw-part="timeline-bar"]').first().waitFor()
    await check('trace')
    await page.goto(`${product().url}/sessions`)
    await page.locator('.session-table tbody tr').first().waitFor()
    await check('sessions')
    for (const path of ['inbox', 'settings', 'agents', 'tools']) {
      await page.goto(`${product().url}/${path}`)
      await page.locator('h1').waitFor()
      if (path === 'settings') await page.locator('.add-rule').click()
      await check(path)
    }
    await page.locator('.tool summary').first().click()
    await page.locator('.tool-details > .button').click()
    await page.locator('[data-tw-part="schema-form"]').waitFor()
    await check('try a tool')
    expect(found).toEqual([])
    await page.context().close()
  })

  test.each(screens)('no part has a serious problem in any state (%s)', async (_name, options) => {
    const { page } = await open('/tools', { ...options, bypassCSP: true })
    const found: string[] = []
    for (const picture of Object.keys(PICTURES)) {
      await page.goto(`${product().url}/sessions/${picture}`)
      await page.locator('[data-tw-part="message"]').first().waitFor()
      await page.locator('[data-tw-part="thread-scroll"]').focus()
      await page.keyboard.press('e')
      found.push(...(await problemsOf(page, picture)))
    }
    expect(found).toEqual([])
    await page.context().close()
  })

  test('boundaries are announced, streamed text is not', async () => {
    const { page } = await open()
    await say(page, 'what time is it')
    await ended(page)
    await say(page, '/ask')
    await card(page, 'awaiting_approval').waitFor()
    await eventually(() => page.locator('[data-tw-part="announcer"][role="alert"]').innerText()).toContain(
      'needs your approval',
    )
    expect(await page.locator('[data-tw-part="thread-scroll"]').getAttribute('aria-live')).toBe('off')
    await page.context().close()
  })

  test('a question gets the focus, unless the user is typing', async () => {
    const { page } = await open()
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-tw-part') ?? '')
    await say(page, '/ask')
    await card(page, 'awaiting_approval').waitFor()
    // The box was in use: the question waits there without the keyboard.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
    await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
    await ended(page)
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    const asked = await fetch(`${product().url}/api/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: page.url().split('/').at(-1), message: '/ask' }),
    })
    await asked.body?.cancel()
    await card(page, 'awaiting_approval').waitFor()
    await eventually(focused).toBe('allow-once')
    await page.context().close()
  })

  test('nothing moves for those who asked for it', async () => {
    const { page } = await open('/', { reducedMotion: 'reduce' })
    await say(page, '/slow 60')
    await page.locator('[data-tw-part="stop"]').waitFor()
    const moving = await page.evaluate(
      () => document.getAnimations().filter(animation => animation.playState === 'running').length,
    )
    expect(moving).toBe(0)
    await page.locator('[data-tw-part="stop"]').click()
    await page.context().close()
  })
})

test('the first load stays within 206 kB', () => {
  const dist = fileURLToPath(new URL('../dist', import.meta.url))
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  const first = readdirSync(join(dist, 'assets')).filter(name => html.includes(name))
  const sizes = [html, ...first.map(name => readFileSync(join(dist, 'assets', name)))].map(
    body => gzipSync(body).length,
  )
  expect(first.length).toBeGreaterThan(1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(206_000)
})

test('a server with keys asks for one, and works with it', async () => {
  const own = await startProduct({ env: { TOOLWIRE_API_KEYS: 'a-secret-of-length' } })
  try {
    const { page } = await visit(browser(), own.url)
    await page.locator('.key-form input').fill('a-secret-of-length')
    await page.locator('.key-form button').click()
    await page.locator('.card').first().click()
    await ended(page)
    expect(await page.locator('[data-tw-part="thread-rows"]').innerText()).toContain('README.md')
    await page.context().close()
  } finally {
    await own.stop()
  }
})
