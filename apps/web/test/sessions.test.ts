import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { card, ended, eventually, say, setUpProduct } from './product.ts'

const { open, product } = setUpProduct()

async function make(title: string): Promise<void> {
  const answer = await fetch(`${product().url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title }),
  })
  expect(answer.status).toBe(201)
}

describe('the table of sessions', () => {
  test('is filtered by text and state, and several sessions go at once', async () => {
    const { page } = await open()
    await say(page, 'what time is it, first clock')
    await ended(page)
    for (const text of ['second clock', 'run `touch third-clock.txt`']) {
      await page.goto(product().url)
      await say(page, text)
      await page.waitForURL('**/sessions/*')
    }
    await card(page, 'awaiting_approval').waitFor()
    await page.locator('.sidebar .nav-link', { hasText: 'Sessions' }).click()
    const rows = page.locator('.session-table tbody tr')
    await eventually(() => rows.count()).toBe(3)
    await page.locator('.filters select').selectOption('paused')
    await eventually(() => rows.count()).toBe(1)
    expect(await rows.innerText()).toContain('third-clock')
    await page.locator('.filters select').selectOption('')
    await page.locator('.filters input').fill('clock')
    await eventually(() => rows.count()).toBe(3)
    await page.locator('.filters input').fill('second')
    await eventually(() => rows.count()).toBe(1)
    await page.locator('.filters input').fill('')
    await eventually(() => rows.count()).toBe(3)
    for (const text of ['first clock', 'second clock'])
      await rows.filter({ hasText: text }).locator('input').check()
    page.on('dialog', dialog => void dialog.accept())
    await page.locator('.session-actions .danger').click()
    await eventually(() => rows.count()).toBe(1)
    await page.context().close()
  })
})

describe('tags and the archive', () => {
  test('sessions are tagged together, found by the tag, put away and taken back', async () => {
    for (const title of ['Harbour north', 'Harbour south', 'Mountain']) await make(title)
    const { page, problems } = await open('/sessions')
    const rows = page.locator('.session-table tbody tr')
    const row = (title: string) => rows.filter({ hasText: title })
    for (const title of ['Harbour north', 'Harbour south']) await row(title).locator('input').check()
    await page.locator('.tag-field').fill('sea')
    await page.locator('.tag-field').press('Enter')
    await row('Harbour north').locator('.tag').click()
    await eventually(() => rows.count()).toBe(2)
    expect(await row('Mountain').count()).toBe(0)
    await row('Harbour south').locator('input').check()
    await page.locator('.session-actions .archive').click()
    await eventually(() => rows.count()).toBe(1)
    await eventually(() => page.locator('.session-item', { hasText: 'Harbour south' }).count()).toBe(0)
    await page.locator('.tag[data-filter]').click()
    await page.locator('.filters select').selectOption('archived')
    await eventually(() => rows.count()).toBe(1)
    await row('Harbour south').locator('input').check()
    await page.locator('.session-actions .archive').click()
    await eventually(() => rows.count()).toBe(0)
    await page.locator('.filters select').selectOption('')
    await row('Harbour south').locator('.tag').waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })
})

test('a session is renamed in the table, and left alone by Escape and by an empty name', async () => {
  await make('Lighthouse')
  const { page, problems } = await open('/sessions')
  const rows = page.locator('.session-table tbody tr')
  const named = (title: string) => rows.filter({ has: page.locator('a', { hasText: title }) })
  const rename = async (title: string, name: string, key: string) => {
    await named(title)
      .getByRole('button', { name: `Rename: ${title}` })
      .click()
    const field = page.locator('.session-table .rename')
    await field.fill(name)
    await field.press(key)
    await eventually(() => field.count()).toBe(0)
  }
  await rename('Lighthouse', 'Given up', 'Escape')
  await rename('Lighthouse', '   ', 'Enter')
  expect(await named('Lighthouse').count()).toBe(1)
  await rename('Lighthouse', 'Lamp room', 'Enter')
  await named('Lamp room').waitFor()
  await page.locator('.session-item', { hasText: 'Lamp room' }).waitFor()
  await page.reload()
  await named('Lamp room').waitFor()
  expect(await named('Lighthouse').count()).toBe(0)
  expect(problems).toEqual([])
  await page.context().close()
})

describe('an exported session', () => {
  test('is its log, or its conversation as text or as a page in which nothing runs', async () => {
    const { page } = await open()
    await say(page, 'hello <img src=x onerror=alert(1)>')
    await ended(page)
    const save = async (words: string) => {
      await page.locator('.export-button').click()
      const saved = page.waitForEvent('download')
      await page.locator('.export-menu button', { hasText: words }).click()
      return readFileSync(await (await saved).path(), 'utf8')
    }
    const log = JSON.parse(await save('JSON')) as { readonly events: readonly unknown[] }
    expect(log.events.length).toBeGreaterThan(3)
    expect(await save('Markdown')).toContain('> hello <img')
    const html = await save('page')
    expect(html).toContain('hello &lt;img src=x')
    expect(html).not.toContain('<img')
    await page.context().close()
  })
})

describe('keys', () => {
  test('open and close all cards, and announce themselves', async () => {
    const { page } = await open()
    await say(page, 'list the files')
    await ended(page)
    await page.locator('[data-tw-part="thread-scroll"]').focus()
    await page.keyboard.press('e')
    await eventually(() => page.locator('[data-tool="Bash"]').getAttribute('data-open')).toBe('true')
    await page.keyboard.press('Shift+E')
    await eventually(() => page.locator('[data-tool="Bash"]').getAttribute('data-open')).toBe('false')
    await page.keyboard.press('?')
    await page.locator('.dialog[open]', { hasText: 'Keyboard' }).waitFor()
    await page.keyboard.press('Escape')
    // What is typed is never taken for a command.
    await page.locator('[data-tw-part="composer-box"] textarea').fill('')
    await page.keyboard.type('e?')
    expect(await page.locator('[data-tw-part="composer-box"] textarea').inputValue()).toBe('e?')
    expect(await page.locator('.dialog[open]').count()).toBe(0)
    await page.context().close()
  })
})
