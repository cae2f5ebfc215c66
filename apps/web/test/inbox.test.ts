/** The inbox: filters, one decision for several, decisions by keyboard; and the sections of the settings. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually, setUpProduct } from './product.ts'

const { open, product } = setUpProduct()
const file = (name: string): string => join(product().folder, 'data/workspace', name)
const headers = { 'content-type': 'application/json' }

/** A session that waits for what the message makes it ask. */
async function wait(message: string): Promise<void> {
  const { url } = product()
  const made = await fetch(`${url}/api/sessions`, { method: 'POST' })
  const { id } = (await made.json()) as { id: string }
  const body = JSON.stringify({ session_id: id, message })
  await (await fetch(`${url}/api/chat/stream`, { method: 'POST', headers, body })).text()
}

test('items are filtered, decided together with every line in view, and by keyboard', async () => {
  for (const name of ['one', 'two', 'three']) await wait(`run \`touch ${name}.txt\``)
  await wait('create the file four.md with the content «Four»')
  const { page, problems } = await open('/inbox')
  const sections = page.locator('[data-tw-part="inbox-session"]')
  await eventually(() => sections.count()).toBe(4)
  await page.getByLabel('Tool', { exact: true }).selectOption('Write')
  await eventually(() => sections.count()).toBe(1)
  await page.getByLabel('Tool', { exact: true }).selectOption('')
  await page.getByLabel('Search pending items').fill('no such thing')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await eventually(() => sections.count()).toBe(4)

  // The bar has a number per tool; nothing is selected until a person selects it.
  const bar = page.locator('.bulk-bar')
  expect(await bar.innerText()).toContain('4 approvals')
  expect(await bar.innerText()).toMatch(/3 Bash/)
  await bar.locator('.button').first().click()
  const dialog = page.locator('dialog[open]')
  expect(await dialog.locator('li').count()).toBe(4)
  expect(await dialog.getByRole('button', { name: 'Allow 0 once' }).isDisabled()).toBe(true)
  await dialog.locator('li', { hasText: 'touch one.txt' }).locator('input').check()
  await dialog.locator('li', { hasText: 'touch two.txt' }).locator('input').check()
  await dialog.getByRole('button', { name: 'Allow 2 once' }).click()
  await dialog.waitFor({ state: 'detached' })
  await eventually(() => existsSync(file('one.txt')) && existsSync(file('two.txt'))).toBe(true)
  await eventually(() => sections.count()).toBe(2)
  expect(existsSync(file('three.txt'))).toBe(false)

  // J moves to a card, A allows it; a key that comes right after the list moved does nothing.
  await page.locator('[data-tw-part="inbox"] [data-tw-part="allow-once"]').nth(1).waitFor()
  const current = page.locator('[data-tw-part="inbox"] [data-tw-part="tool-call"]:focus-within')
  await page.locator('body').press('j')
  await eventually(() => current.count()).toBe(1)
  const before = await current.getAttribute('data-call-id')
  await eventually(async () => {
    await page.keyboard.press('j')
    return (await current.getAttribute('data-call-id')) !== before
  }).toBe(true)
  await page.keyboard.press('k')
  await eventually(() => current.getAttribute('data-call-id')).toBe(before)
  const name = await current.getAttribute('data-tool')
  await eventually(async () => {
    if ((await sections.count()) === 2) await page.keyboard.press('a')
    return await sections.count()
  }).toBe(1)
  const made = name === 'Write' ? 'four.md' : 'three.txt'
  await eventually(() => existsSync(file(made))).toBe(true)
  expect(problems).toEqual([])
  await page.context().close()
})

test('settings have sections with addresses, and a search over labels in every language', async () => {
  const { page, problems } = await open('/settings')
  const shown = () =>
    page.locator('[data-section]').evaluateAll(all => all.map(one => one.dataset['section']))
  await eventually(async () => (await shown()).length).toBeGreaterThan(8)
  await page.getByRole('link', { name: 'MCP servers' }).click()
  await eventually(shown).toEqual(['mcp'])
  expect(new URL(page.url()).pathname).toBe('/settings/mcp')
  await page.reload()
  await eventually(shown).toEqual(['mcp'])
  await page.getByLabel('Search settings').fill('主题')
  await eventually(shown).toEqual(['appearance'])
  await page.getByLabel('Search settings').fill('single keys')
  await eventually(shown).toEqual(['keyboard'])
  await page.getByLabel('Use single keys').uncheck()
  await page.locator('h1').press('?')
  expect(await page.locator('dialog[open]').count()).toBe(0)
  await page.getByLabel('Search settings').fill('no such setting')
  await eventually(shown).toEqual([])
  expect(problems).toEqual([])
  await page.context().close()
})
