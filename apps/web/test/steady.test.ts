import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { visit } from './browser.ts'
import {
  card,
  elements,
  ended,
  eventually,
  folded,
  say,
  setHidden,
  setUpProduct,
  startProduct,
  toolCard,
} from './product.ts'

const { browser, open, product } = setUpProduct()
const workspace = (file: string): string => join(product().folder, 'data/workspace', file)
const BOX = '[data-tw-part="composer-box"] textarea'

describe('an approval', () => {
  test('is shown as decided only when the log says so', async () => {
    const { page } = await open()
    await say(page, 'run `touch never-optimistic.txt`')
    const waiting = card(page, 'awaiting_approval')
    await waiting.waitFor()
    // The answer never reaches the server.
    await page.route('**/api/approvals/*', () => new Promise(() => {}))
    await waiting.locator('[data-tw-part="allow-once"]').click()
    const button = waiting.locator('[data-tw-part="allow-once"]')
    await eventually(() => button.innerText()).toBe('Sending…')
    expect(await button.isDisabled()).toBe(true)
    expect(await waiting.count()).toBe(1)
    expect(existsSync(workspace('never-optimistic.txt'))).toBe(false)
    // So the question is as before, and can be answered after a reload.
    await page.reload()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
    await ended(page)
    expect(existsSync(workspace('never-optimistic.txt'))).toBe(true)
    await page.context().close()
  })

  test('that was answered in one tab ends in the other, and is never answered twice', async () => {
    const { page } = await open()
    await say(page, 'run `echo once >> counted.txt`')
    await card(page, 'awaiting_approval').waitFor()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await card(other, 'awaiting_approval').waitFor()
    // The slower one may find the card answered and its button gone: then the end of its run comes first.
    const tries = [page, other].map(async shown => {
      const button = card(shown, 'awaiting_approval').locator('[data-tw-part="allow-once"]')
      const click = button.click().then(
        () => true,
        () => false,
      )
      return await Promise.race([click, ended(shown).then(() => false)])
    })
    expect(await Promise.all(tries)).toContain(true)
    await ended(page)
    await ended(other)
    expect(await card(page, 'success').count()).toBe(1)
    expect(await card(other, 'success').count()).toBe(1)
    expect(readFileSync(workspace('counted.txt'), 'utf8')).toBe('once\n')
    await page.context().close()
  })
})

describe('a reload', () => {
  test('while a command runs finds it running, with its output', async () => {
    const { page } = await open()
    // It runs until it is stopped, however slow the page is.
    await say(page, 'run `for i in $(seq 1 1000000); do echo tick $i; sleep 0.1; done`')
    await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
    await card(page, 'executing').locator('[data-tw-part="output"]').waitFor()
    await page.reload()
    await eventually(() => card(page, 'executing').innerText()).toContain('tick')
    // The card shows the last lines; what was before them can be read while it runs.
    await card(page, 'executing').locator('[data-tw-part="view-full"]').click()
    const pane = page.locator('dialog[open] [data-tw-part="output-pieces"]')
    await eventually(() => pane.innerText()).toContain('tick 1\ntick 2\n')
    await page.locator('dialog[open] [data-tw-part="close"]').click()
    await page.locator('[data-tw-part="composer-box"] [data-tw-part="stop"]').click()
    await ended(page)
    await page.context().close()
  })

  test('while arguments stream shows them as they continue', async () => {
    const own = await startProduct({ env: { TOOLWIRE_DEMO_PACE_MS: '2' } })
    try {
      const { page } = await visit(browser(), own.url)
      await say(page, '/big 400')
      await card(page, 'building').waitFor()
      await page.reload()
      await card(page, 'awaiting_approval').waitFor()
      await page.context().close()
    } finally {
      await own.stop()
    }
  })
})

/** Far more than a card has, and far less than what its call was given. */
async function expectSmall(page: Page, state: string): Promise<void> {
  const size = await card(page, state).evaluate(found => ({
    chars: found.outerHTML.length,
    elements: found.getElementsByTagName('*').length,
  }))
  expect(size.chars).toBeLessThan(20_000)
  expect(size.elements).toBeLessThan(200)
}

test('a megabyte of arguments streams while the page answers its reader, with its fonts in time, and is never drawn or listed whole', async () => {
  const own = await startProduct({ env: { TOOLWIRE_DEMO_PACE_MS: '1' } })
  try {
    const { page } = await visit(browser(), own.url)
    const lists: Promise<{ url: string; size: number }>[] = []
    page.on('response', answer => {
      const url = answer.url().slice(own.url.length)
      if (/^\/api\/(pending|sessions)\?/.test(url))
        lists.push(answer.body().then(body => ({ url, size: body.length })))
    })
    await say(page, '/big 1000')
    await card(page, 'building').waitFor()
    // Characters that only the arguments hold: their font is there before the card opens and needs it.
    const fonts = () =>
      page.evaluate(() =>
        [...document.fonts].some(font => /Noto Sans SC/.test(font.family) && font.status === 'loaded'),
      )
    await eventually(fonts).toBe(true)
    expect(await card(page, 'building').getAttribute('data-open')).toBe('false')
    let sizes = 0
    for (let n = 0; n < 5; n++) {
      await page.fill(BOX, `typed ${n}`)
      expect(await page.inputValue(BOX)).toBe(`typed ${n}`)
      expect(await elements(page)).toBeLessThan(3000)
      sizes += await page.locator('[data-tw-part="tool-call"] [data-tw-part="bytes"]').count()
    }
    // The reader was answered while it streamed, not after.
    expect(sizes).toBeGreaterThan(0)
    await card(page, 'awaiting_approval').waitFor()
    await expectSmall(page, 'awaiting_approval')
    // The list that names the call as waiting has come, and it was a short one.
    await eventually(() => page.title()).toBe('(1) Toolwire')
    const read = await Promise.all(lists)
    expect(read.map(({ url }) => url.split('?')[0])).toEqual(
      expect.arrayContaining(['/api/pending', '/api/sessions']),
    )
    expect(read.filter(({ size }) => size > 20_000)).toEqual([])
    // Who decides can read all of it.
    await card(page, 'awaiting_approval').locator('[data-tw-part="view-full"]').first().click()
    const full = card(page, 'awaiting_approval').locator('[data-tw-part="full-text"]').first()
    expect(await full.evaluate(shown => shown.textContent.length)).toBeGreaterThan(800_000)
    await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
    await ended(page)
    await folded(page)
    await toolCard(page, 'Write').locator('[data-tw-part="tool-header"]').click()
    await card(page, 'success').locator('[data-tw-part="tool-body"]').waitFor()
    await expectSmall(page, 'success')
    await card(page, 'success').locator('[data-tw-part="view-full"]').first().click()
    const pane = page.locator('dialog[open] [data-tw-part="output-pieces"]')
    expect(await pane.evaluate(shown => shown.textContent.length)).toBeGreaterThan(800_000)
    await expectFound(page)
    await page.context().close()
  } finally {
    await own.stop()
  }
})

/** Finds a word in the open pane, and comes to its last place by one key. */
async function expectFound(page: Page): Promise<void> {
  await page.fill('dialog[open] [data-tw-part="find"] > input', 'e')
  const count = page.locator('dialog[open] [data-tw-part="find-count"]')
  await eventually(() => count.innerText()).toMatch(/^1\/\d{4,}$/)
  await page.locator('dialog[open] [data-tw-part="find"][aria-busy="false"]').waitFor()
  expect(await page.locator('[data-tw-part="found"]').count()).toBeLessThan(1000)
  await page.keyboard.press('Shift+Enter')
  await eventually(async () => (await count.innerText()).split('/').every((n, _, all) => n === all[0])).toBe(
    true,
  )
  const inSight = () =>
    page.locator('[data-tw-part="found"][data-current="true"]').evaluate(mark => {
      const { top, bottom } = mark.getBoundingClientRect()
      const pane = mark.closest('[data-tw-part="output-pieces"]')?.getBoundingClientRect()
      return pane !== undefined && top >= pane.top && bottom <= pane.bottom
    })
  await eventually(inSight).toBe(true)
}

describe('a server that dies', () => {
  test('in the middle of a command leaves a session that comes to an end', async () => {
    const own = await startProduct()
    try {
      const { page } = await visit(browser(), own.url)
      await say(page, 'run `touch begun.txt; echo begun; sleep 30`')
      await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
      await eventually(() => card(page, 'executing').innerText()).toContain('begun')
      await own.crash()
      await ended(page)
      // The outcome of the command is unknown, and the card says so.
      expect(await card(page, 'lost').count()).toBe(1)
      await say(page, 'what time is it')
      await ended(page, 2)
      await page.context().close()
    } finally {
      await own.stop()
    }
  })

  test('in the middle of an answer leaves no reader behind', async () => {
    const own = await startProduct()
    try {
      const { page } = await visit(browser(), own.url)
      await say(page, '/slow 4')
      await page.locator('[data-role="assistant"] [data-tw-part="text"]').waitFor()
      await own.crash()
      await ended(page)
      await eventually(() => page.locator('[data-tw-part="connection"]').getAttribute('data-state')).toBe(
        'live',
      )
      await page.context().close()
    } finally {
      await own.stop()
    }
  })
})

describe('a hidden page', () => {
  test('gives its connection back and has missed nothing when it is seen again', async () => {
    const { page } = await open()
    await say(page, 'what time is it')
    await ended(page)
    const closed = page.waitForEvent('requestfailed', request => request.url().includes('/events'))
    await setHidden(page, true)
    await closed
    const id = page.url().split('/').at(-1) ?? ''
    await fetch(`${product().url}/api/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: id, message: 'said from elsewhere' }),
    }).then(answer => answer.text())
    await setHidden(page, false)
    await page.locator('[data-tw-part="bubble"]', { hasText: 'said from elsewhere' }).waitFor()
    await ended(page, 2)
    await page.context().close()
  })

  /** A page whose notifications and sounds are counted instead of shown and heard. */
  async function listening() {
    const { page } = await open('/', { permissions: ['notifications'] })
    await page.evaluate(() => {
      const told: { body: string; click: () => void }[] = []
      class Note {
        static permission = 'granted'
        static requestPermission = async () => 'granted'
        onclick: (() => void) | null = null
        constructor(_title: string, options: { readonly body?: string }) {
          told.push({ body: options.body ?? '', click: () => this.onclick?.() })
        }
        close() {}
      }
      const heard: number[] = []
      const tone = { frequency: { value: 0 }, connect() {}, start: (at: number) => heard.push(at), stop() {} }
      class Sound {
        currentTime = 0
        createGain = () => ({ gain: { value: 0 }, connect() {} })
        createOscillator = () => tone
        close() {}
      }
      Object.assign(window, { told, heard, Notification: Note, AudioContext: Sound })
    })
    await page.locator('.sidebar .nav-link', { hasText: 'Settings' }).click()
    const told = () =>
      page.evaluate(() => (window as unknown as { told: { body: string }[] }).told.map(each => each.body))
    const heard = () => page.evaluate(() => (window as unknown as { heard: number[] }).heard.length)
    const box = (words: RegExp) => page.locator('.check', { hasText: words }).locator('input')
    return { page, told, heard, box }
  }

  test('notifies once about pending items if enabled, and a click leads to the call', async () => {
    const { page, told, heard, box } = await listening()
    await box(/Notify me/).check()
    expect(await box(/Notify me/).isChecked()).toBe(true)
    await setHidden(page, true)
    const { id } = (await post('/api/sessions', {})) as { id: string }
    await post('/api/chat/stream', { session_id: id, message: 'run `touch tell-me.txt`' })
    await eventually(async () => (await told()).filter(text => text.includes('tell-me')).length).toBe(1)
    await page.waitForResponse('**/api/pending*')
    expect((await told()).filter(text => text.includes('tell-me'))).toHaveLength(1)
    expect(await heard()).toBe(0)
    await setHidden(page, false)
    await page.evaluate(() => {
      const { told } = window as unknown as { told: { body: string; click: () => void }[] }
      told.find(({ body }) => body.includes('tell-me'))?.click()
    })
    await page.waitForURL(`**/sessions/${id}`)
    const allow = page.locator('[data-state="awaiting_approval"] [data-tw-part="allow-once"]')
    await eventually(() => allow.evaluate(button => button === document.activeElement)).toBe(true)
    await page.context().close()
  })

  test('plays a sound to those who want one, without any notification', async () => {
    const { page, told, heard, box } = await listening()
    await box(/sound/).check()
    // Two tones, so that a person knows what to listen for.
    expect(await heard()).toBe(2)
    await setHidden(page, true)
    const { id } = (await post('/api/sessions', {})) as { id: string }
    await post('/api/chat/stream', { session_id: id, message: 'run `touch hear-me.txt`' })
    await eventually(heard).toBe(4)
    await page.waitForResponse('**/api/pending*')
    expect(await heard()).toBe(4)
    expect(await told()).toEqual([])
    await page.context().close()
  })

  async function post(path: string, body: object): Promise<unknown> {
    const answer = await fetch(product().url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    return text.startsWith('{') ? JSON.parse(text) : undefined
  }
})
