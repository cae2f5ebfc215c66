/** From the demo to the user's own model without a terminal: a key is pasted, used, kept and removed. */
import { createDemoModel, type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ended, eventually, say, setUpProduct } from './product.ts'

const KEY = 'sk-ant-api03-typed-by-a-person-wxyz'
const MODEL = 'anthropic/claude-of-mine'
let fake: FakeUpstream
beforeAll(async () => {
  fake = await startFakeUpstream({
    apiKey: KEY,
    model: { ...createDemoModel({ paceMs: 0 }), id: 'claude-of-mine' },
  })
})
afterAll(() => fake.close())
const { open, product } = setUpProduct()
afterEach(() => tell('DELETE', 'key'))

const tell = (method: string, what: 'key' | 'test', body?: object) =>
  fetch(`${product().url}/api/providers/anthropic/${what}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  })
/** As the form does it. */
async function setKey(): Promise<void> {
  await tell('PUT', 'key', { key: KEY, base_url: fake.url })
  await tell('POST', 'test')
}

const answers = (): number => fake.requests.filter(({ path }) => path === '/v1/messages').length
const group = (page: Page) =>
  page.locator('.group', { has: page.getByRole('heading', { name: 'Model providers' }) })
const anthropic = (page: Page) =>
  group(page).locator('.provider', { has: page.getByRole('heading', { name: 'Anthropic' }) })

async function paste(form: ReturnType<Page['locator']>, key: string): Promise<void> {
  await form.getByLabel('API key of Anthropic').fill(key)
  const address = form.getByLabel('Address', { exact: true })
  if (!(await address.isVisible())) await form.getByText('Another address').click()
  await address.fill(fake.url)
  await form.getByRole('button', { name: 'Test and save' }).click()
}

test('a provider is added in Settings with its name, API and address, and its models can be chosen', async () => {
  const { page, problems } = await open('/settings')
  const form = group(page).locator('[data-provider="new"]')
  await group(page).getByText('Add a provider').click()
  await form.getByLabel('Name, such as groq').fill('mine')
  await form.getByRole('combobox').selectOption('anthropic')
  await form.getByLabel('Address').fill(fake.url)
  await form.getByLabel('API key, if it needs one').fill('sk-wrong-key-0123456789')
  await form.getByRole('button', { name: 'Test and save' }).click()
  await eventually(() => form.getByRole('status').innerText()).toMatch(/^The key was not accepted/)
  await form.getByLabel('API key, if it needs one').fill(KEY)
  await form.getByRole('button', { name: 'Test and save' }).click()
  const added = group(page).locator('.provider', { has: page.getByRole('heading', { name: 'mine' }) })
  await eventually(() => added.locator('.quiet').first().innerText()).toContain(fake.url)
  expect(await form.getByLabel('API key, if it needs one').inputValue()).toBe('')
  const { models } = (await (await fetch(`${product().url}/api/models`)).json()) as {
    models: { id: string }[]
  }
  expect(models.map(({ id }) => id)).toContain('mine/claude-of-mine')
  await added.getByRole('button', { name: 'Remove' }).click()
  await eventually(() => added.count()).toBe(0)
  expect(problems.filter(problem => !/Failed to load|ERR_/.test(problem))).toEqual([])
})

test('a key is pasted on the first page, a model is chosen, and the provider answers', async () => {
  const { page, problems } = await open()
  const card = page.locator('.connect-key')
  await card.locator('summary').first().click()
  const form = card.locator('.provider-form')
  await paste(form, 'sk-wrong-key-0123456789')
  await eventually(() => form.getByRole('status').innerText()).toMatch(
    /^The key was not accepted: invalid x-api-key/,
  )
  expect(await (await fetch(`${product().url}/api/providers`)).json()).toMatchObject({
    providers: [{ provider: 'anthropic', set: false, stored: false }, { provider: 'openai' }],
  })
  await paste(form, KEY)
  await eventually(() => form.getByRole('status').innerText()).toBe('Ready: 1 model')
  expect(await form.getByLabel('API key of Anthropic').inputValue()).toBe('')
  const choice = page.locator('.home-model select')
  expect(await choice.locator('option').allInnerTexts()).toEqual([MODEL, 'demo'])
  await choice.selectOption('demo')
  await choice.selectOption(MODEL)
  await say(page, 'list the files')
  await ended(page)
  expect(await page.locator('[data-tw-part="thread-scroll"], main').first().innerText()).toContain(
    'README.md',
  )
  expect(answers()).toBeGreaterThan(0)
  expect(fake.requests.at(-1)?.headers['x-api-key']).toBe(KEY)
  await eventually(() => page.locator('select.model').inputValue()).toBe(MODEL)
  expect(problems).toEqual([])
  await page.context().close()
})

test('a run that fails at the provider links to Settings and continues with the demo model', async () => {
  await tell('PUT', 'key', { key: 'sk-wrong-key-0123456789', base_url: fake.url })
  const { page } = await open()
  await say(page, 'list the files')
  await page.locator('[data-tw-part="turn-error"]').waitFor()
  expect(await page.locator('.open-settings').getAttribute('href')).toBe('/settings#providers')
  await page.locator('.use-demo').click()
  await ended(page, 2)
  expect(await page.locator('[data-tw-part="thread-scroll"]').innerText()).toContain('README.md')
  await eventually(() => page.locator('select.model').inputValue()).toBe('demo')
  await page.locator('.open-settings').click()
  await group(page).waitFor()
  await page.context().close()
})

test('it is kept over a reload and a crash of the server, and shown nowhere again', async () => {
  await setKey()
  const { page, problems } = await open('/settings')
  const told = anthropic(page).locator('p').first()
  await eventually(() => told.innerText()).toBe(`Set here · ends in wxyz · ${fake.url}`)
  await product().crash()
  await page.reload()
  await eventually(() => told.innerText()).toContain('Set here')
  await anthropic(page).getByRole('button', { name: 'Test' }).last().click()
  await eventually(() => anthropic(page).getByRole('status').innerText()).toBe('Ready: 1 model')
  expect(await page.content()).not.toContain('typed-by-a-person')
  const storage = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
  expect(storage).not.toContain('typed-by-a-person')
  const before = answers()
  await page.goto(product().url)
  await say(page, 'what time is it')
  await ended(page)
  expect(answers()).toBeGreaterThan(before)
  expect(problems.filter(problem => !/Failed to load|ERR_/.test(problem))).toEqual([])
  await page.context().close()
})

test('when it is removed the demo model answers new sessions again', async () => {
  await setKey()
  const { page, problems } = await open('/settings')
  await anthropic(page).getByRole('button', { name: 'Remove' }).click()
  await eventually(() => anthropic(page).locator('p').first().innerText()).toBe('No key')
  expect(await anthropic(page).getByRole('button', { name: 'Remove' }).count()).toBe(0)
  await eventually(() => page.locator('.facts').first().innerText()).toMatch(/Model of new sessions\s+demo/)
  const before = answers()
  await page.goto(product().url)
  await page.locator('.connect-key').waitFor()
  await eventually(() => page.locator('.home-model option').allInnerTexts()).toEqual(['demo'])
  await say(page, 'list the files')
  await ended(page)
  expect(await page.locator('.model').first().innerText()).toBe('demo')
  expect(answers()).toBe(before)
  expect(problems).toEqual([])
  await page.context().close()
})

test('the form speaks Chinese, simplified and traditional', async () => {
  await setKey()
  const { page } = await open('/settings')
  for (const [name, title, told] of [
    ['简体中文', '模型提供商', '在这里设置 · 末四位 wxyz'],
    ['繁體中文', '模型供應商', '在這裡設定 · 末四碼 wxyz'],
  ] as const) {
    await page.locator('.segments label', { hasText: name }).click()
    await page.getByRole('heading', { name: title }).waitFor()
    expect(await page.locator('.provider > p').first().innerText()).toContain(told)
    const words = await page.locator('.provider-form').first().innerText()
    expect(words.replaceAll('Anthropic', '')).not.toMatch(/[a-z]/)
  }
  await page.context().close()
})
