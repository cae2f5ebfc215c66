/** The first five minutes without a key, as a visitor walks through them: every step does what the page promises. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { card, ended, eventually, folded, say, setUpProduct, toolCard } from './product.ts'

const { open, product } = setUpProduct()

const greeting = (): string => readFileSync(join(product().folder, 'data/workspace/src/greet.ts'), 'utf8')
const diff = '[data-tw-part="diff"]'

test('watch a tool call: its arguments, its output, the answer, with the demo named', async () => {
  const { page, problems } = await open()
  await page.locator('.card').nth(0).click()
  await ended(page)
  await folded(page)
  await toolCard(page, 'Bash').locator('[data-tw-part="tool-header"]').click()
  await eventually(() => toolCard(page, 'Bash').innerText()).toContain('README.md')
  // The demo model is free: a cost of zero is not worth a word.
  expect(await page.locator('[data-tw-part="turn-footer"]').innerText()).not.toContain('$')
  expect(await page.locator('.model').innerText()).toBe('demo')
  expect(problems).toEqual([])
  await page.context().close()
})

test('ask before editing: the question stays through a reload and in a second tab, a denial is answered, a rule is kept and shown', async () => {
  const { page } = await open()
  await page.locator('.card').nth(1).click()
  const asked = card(page, 'awaiting_approval')
  await eventually(() => asked.locator(diff).innerText()).toContain('Hello there')
  await page.reload()
  await eventually(() => asked.locator(diff).innerText()).toContain('Hello there')
  const second = await page.context().newPage()
  await second.goto(page.url())
  await card(second, 'awaiting_approval').locator(diff).waitFor()

  await asked.locator('[data-tw-part="deny"]').click()
  await page.locator('[data-tw-part="form"] textarea').fill('use "Welcome" instead')
  await page.locator('[data-tw-part="form"] [data-tw-part="submit"]').click()
  await eventually(() => asked.locator(diff).innerText()).toContain('Welcome')
  expect(await page.locator('[data-tw-part="thread-rows"]').innerText()).toContain(
    'You said: use "Welcome" instead',
  )
  await eventually(() => card(second, 'awaiting_approval').locator(diff).innerText()).toContain('Welcome')
  expect(greeting()).not.toContain('Welcome')

  const rule = await asked.locator('[data-tw-part="rule"]').innerText()
  await asked.locator('[data-tw-part="allow-rule"]').click()
  await page.locator('[data-tw-part="form"] [data-tw-part="submit"]').click()
  await ended(page)
  await ended(second)
  expect(greeting()).toContain('Welcome')
  await page.locator('.rules-button').click()
  const kept = await page.locator('.dialog[open] .revocable code').innerText()
  expect(rule).toContain(kept)
  await page.context().close()
})

test('call my page: the theme of the page itself changes, and the trace shows the pause', async () => {
  const { page } = await open('/', { colorScheme: 'light' })
  await page.locator('.card').nth(2).click()
  await ended(page)
  expect(await page.locator('html').getAttribute('data-tw-theme')).toBe('dark')
  await page.goto(`${page.url()}/trace`)
  await page.locator('.panel [data-tab="events"]').click()
  await page.locator('.panel [type="search"]').fill('client_requested')
  await eventually(() => page.locator('[data-tw-part="event"]').first().innerText()).toContain(
    'tool.client_requested',
  )
  await page.context().close()
})

test('kill it while it asks: the same session continues from its log', async () => {
  const { page } = await open()
  await say(page, 'run `touch asked.txt`')
  await card(page, 'awaiting_approval').waitFor()
  await product().crash()
  await page.reload()
  await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
  await ended(page)
  expect(await card(page, 'success').count()).toBe(1)
  await page.context().close()
})

test('the commands that the page shows work as they are copied', async () => {
  const { page } = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.locator('.curl summary').click()
  const copies = page.locator('.curl').getByRole('button')
  const answers: string[] = []
  for (let n = 0; n < (await copies.count()); n++) {
    await copies.nth(n).click()
    const lines = await page.evaluate(() => navigator.clipboard.readText())
    answers.push(execFileSync('sh', ['-c', lines], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  }
  expect(answers).toHaveLength(2)
  expect(answers[0]).toContain('"type":"done"')
  expect(answers[1]).toContain('data: [DONE]')
  await page.context().close()
})
