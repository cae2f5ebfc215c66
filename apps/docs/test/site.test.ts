/** The built site: its links, its search, and that it asks no other host for anything. */
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import axe from 'axe-core'
import { JSDOM } from 'jsdom'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, visit } from '../../web/test/browser.ts'
import { SECTIONS } from '../src/navigation.ts'
import { addressOf, listPages } from '../src/pages.ts'
import { type ServedSite, serveSite } from './served-site.ts'

let site: ServedSite
let browser: Browser
let pages: ReadonlyMap<string, Document>
beforeAll(async () => {
  site = await serveSite()
  browser = await openBrowser()
  pages = new Map(
    globSync('**/*.html', { cwd: site.folder }).map(file => [
      file,
      new JSDOM(readFileSync(join(site.folder, file), 'utf8')).window.document,
    ]),
  )
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})

test('every link leads to a page, and every anchor to a heading', () => {
  const dead: string[] = []
  for (const [file, document] of pages)
    for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href]')) {
      const href = link.getAttribute('href') ?? ''
      if (/^[a-z]+:/.test(href)) continue
      const { pathname, hash } = new URL(href, `http://site/${file}`)
      const target = pages.get(
        decodeURIComponent(pathname.slice(1) || 'index.html').replace(/\/$/, '/index.html'),
      )
      const anchor = decodeURIComponent(hash.slice(1))
      if (target === undefined || (anchor !== '' && target.getElementById(anchor) === null))
        dead.push(`${file}: ${href}`)
    }
  expect(dead).toEqual([])
})

test('every page is there as HTML and as Markdown, and llms.txt names the English ones', () => {
  const index = readFileSync(join(site.folder, 'llms.txt'), 'utf8')
  for (const page of listPages()) {
    const address = addressOf(page)
    expect(pages.has(`${address}.html`), page).toBe(true)
    expect(readFileSync(join(site.folder, `${address}.md`), 'utf8')).toMatch(/^# /m)
    if (!page.startsWith('zh/')) expect(index).toContain(`](/${address}.md)`)
  }
  expect(readFileSync(join(site.folder, 'llms-full.txt'), 'utf8').length).toBeGreaterThan(index.length)
})

test('links in the Markdown pages lead to Markdown pages', () => {
  const dead: string[] = []
  for (const file of globSync('**/*.md', { cwd: site.folder }))
    for (const [, href = ''] of readFileSync(join(site.folder, file), 'utf8')
      .replace(/^```[\s\S]*?^```$/gm, '')
      .replace(/`[^`\n]*`/g, '')
      .matchAll(/(?<!!)\]\((\/[^)#\s]*)/g))
      if (!pages.has(href.slice(1).replace(/\.md$/, '.html'))) dead.push(`${file}: ${href}`)
  expect(dead).toEqual([])
})

test('braces in code are shown', () => {
  expect(pages.get('demo-model.html')?.body.textContent).toContain('{{text}}')
})

test('a page weighs at most 150 kB, compressed and with its scripts', () => {
  const heavy: string[] = []
  for (const [file, document] of pages) {
    const parts = [...document.querySelectorAll('link[rel=stylesheet], link[rel=modulepreload], script[src]')]
    const urls = new Set(parts.map(part => part.getAttribute('href') ?? part.getAttribute('src') ?? ''))
    const sizes = [file, ...[...urls].map(url => posix.normalize(url).slice(1))].map(
      path => gzipSync(readFileSync(join(site.folder, path))).length,
    )
    const total = sizes.reduce((sum, size) => sum + size, 0)
    if (total > 150_000) heavy.push(`${file}: ${total}`)
  }
  expect(heavy).toEqual([])
})

describe('in a browser', () => {
  test('no page asks another host for anything, and no script fails', async () => {
    const { page, problems } = await visit(browser, `${site.url}/`)
    const foreign: string[] = []
    await page.context().route(
      url => url.origin !== site.url && url.protocol.startsWith('http'),
      async route => {
        foreign.push(route.request().url())
        await route.abort()
      },
    )
    const first = SECTIONS.flatMap(section => section.pages.slice(0, 1))
    for (const address of [...first, 'demo-model', 'security', 'performance-results', 'zh/README']) {
      await page.goto(`${site.url}/${addressOf(address)}.html`)
      await page.waitForLoadState('networkidle')
    }
    expect(foreign).toEqual([])
    expect(problems).toEqual([])
    await page.context().close()
  })

  test.each([
    ['', 'idempotency'],
    ['zh/', '调用'],
  ])('the search of "/%s" finds %s', async (folder, words) => {
    const { page } = await visit(browser, `${site.url}/${folder}`)
    await page.locator('.VPNavBarSearch button').click()
    await page.locator('input.search-input').fill(words)
    const first = page.locator('.VPLocalSearchBox .result').first()
    await first.waitFor()
    const file = new URL((await first.getAttribute('href')) ?? '', site.url).pathname.slice(1)
    expect(pages.get(file)?.body.textContent.toLowerCase()).toContain(words)
    await page.context().close()
  })

  test('the start page has no violations of accessibility rules', async () => {
    const { page } = await visit(browser, `${site.url}/`)
    await page.addScriptTag({ content: axe.source })
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
      }
      return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
    })
    expect(violations).toEqual([])
    await page.context().close()
  })
})
