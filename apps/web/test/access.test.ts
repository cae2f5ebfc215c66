import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { visit } from './browser.ts'
import { card, ended, eventually, say, setUpProduct, startProduct } from './product.ts'

const { browser, open, product } = setUpProduct()

describe('everybody can use it', () => {
  const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
  const screens: readonly (readonly [string, BrowserContextOptions])[] = [
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
  ]
  test.each(screens)('no serious problem is found (%s)', async (_name, options) => {
    // The policy of the page would refuse the checker itself.
    const { page } = await open('/', { ...options, bypassCSP: true })
    const found: string[] = []
    const check = async (screen: string) => {
      await page.evaluate(axe)
      const serious = await page.evaluate(async () => {
        const { axe: checker } = window as unknown as { axe: typeof import('axe-core') }
        const { violations } = await checker.run(document)
        return violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(
            ({ id, nodes }) =>
              `${id}: ${nodes
                .map(node => node.html)
                .slice(0, 3)
                .join(' ')}`,
          )
      })
      found.push(...serious.map(text => `${screen}: ${text}`))
    }
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
    await page.locator('.timeline li').first().waitFor()
    await check('trace')
    for (const path of ['inbox', 'tools', 'settings']) {
      await page.goto(`${product().url}/${path}`)
      await page.locator('h1').waitFor()
      await check(path)
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
    expect(await page.locator('.thread').getAttribute('aria-live')).toBe('off')
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

test('the first load stays within 200 kB', () => {
  const dist = fileURLToPath(new URL('../dist', import.meta.url))
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  const first = readdirSync(join(dist, 'assets')).filter(name => html.includes(name))
  const sizes = [html, ...first.map(name => readFileSync(join(dist, 'assets', name)))].map(
    body => gzipSync(body).length,
  )
  expect(first.length).toBeGreaterThan(1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000)
})

test('a server with keys asks for one, and works with it', async () => {
  const own = await startProduct({ TOOLWIRE_API_KEYS: 'a-secret-of-length' })
  try {
    const { page } = await visit(browser(), own.url)
    await page.locator('.key-form input').fill('a-secret-of-length')
    await page.locator('.key-form button').click()
    await page.locator('.card').first().click()
    await ended(page)
    expect(await page.locator('.thread-rows').innerText()).toContain('README.md')
    await page.context().close()
  } finally {
    await own.stop()
  }
})
