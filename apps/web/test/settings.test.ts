/** Settings and questions of a server that has more than the default: memory, MCP servers, a sandbox or none. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { ended, eventually, say, setUpProduct, toolCard } from './product.ts'

const TEST_SERVER = fileURLToPath(new URL('../../../packages/mcp/test/stdio-server.ts', import.meta.url))
/** Notes that hold everywhere, as the server keeps them. */
const MEMORY = 'memory/user'
const CONFIG = {
  memory: true,
  mcpServers: {
    test: { command: process.execPath, args: ['--conditions=toolwire-source', TEST_SERVER] },
    broken: { command: '/no/such/program' },
  },
}

const { open, product } = setUpProduct({
  // A key that is never used: the models of its provider are listed.
  env: { ANTHROPIC_API_KEY: 'unused-key', TOOLWIRE_MODEL: 'demo' },
  prepare: async data => {
    mkdirSync(join(data, MEMORY), { recursive: true })
    writeFileSync(join(data, MEMORY, 'likes.md'), 'tea')
    writeFileSync(join(data, MEMORY, 'hates.md'), 'coffee')
    writeFileSync(join(dirname(data), 'toolwire.config.json'), JSON.stringify(CONFIG))
  },
})
const read = async (path: string): Promise<unknown> => (await fetch(product().url + path)).json()
const kept = (file: string): boolean => existsSync(join(product().folder, 'data', MEMORY, file))

describe('settings', () => {
  test('list what models have kept, and one note is deleted without the others', async () => {
    const { page, problems } = await open('/settings')
    const memory = page.locator('.group', { hasText: 'Notes that models saved' })
    const note = memory.locator('li', { hasText: 'likes.md' })
    await note.waitFor()
    await note.locator('button').click()
    await eventually(() => note.count()).toBe(0)
    expect(kept('likes.md')).toBe(false)
    await page.reload()
    await memory.locator('li', { hasText: 'hates.md' }).waitFor()
    expect(kept('hates.md')).toBe(true)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('show the state of every MCP server, and why one is missing', async () => {
    const { page } = await open('/settings')
    const ready = page.locator('[data-mcp]', { hasText: 'MCP: test' })
    await eventually(async () => {
      await page.reload()
      return await ready.getAttribute('data-mcp')
    }).toBe('ready')
    expect(await ready.innerText()).toMatch(/Ready · \d+ tools/)
    const broken = page.locator('[data-mcp]', { hasText: 'MCP: broken' })
    expect(await broken.innerText()).toContain('/no/such/program')
    await page.context().close()
  })

  test('list the models with their prices, and show unknown values as unknown', async () => {
    const { models } = (await read('/api/models')) as {
      models: readonly { id: string; price?: { input: number; output: number } }[]
    }
    const known = models.find(({ price }) => price && price.input > 0)
    const unknown = models.find(({ price }) => price === undefined)
    if (!known?.price || !unknown) throw new Error('the table has both')
    const { page } = await open('/settings')
    await page.locator('.models > summary').click()
    const cells = (id: string) => page.locator(`[data-model="${id}"] td`).allInnerTexts()
    const money = (usd: number) => `$${usd.toFixed(2)}`
    expect((await cells(known.id)).slice(1, 3)).toEqual([money(known.price.input), money(known.price.output)])
    expect((await cells(unknown.id)).slice(1)).toEqual(['unknown', 'unknown', 'unknown'])
    expect((await cells('demo')).slice(1)).toEqual(['$0', '$0', '$0'])
    await page.context().close()
  })

  test('show the storage in use, and how to free space once something is old', async () => {
    const { page } = await open('/settings')
    const storage = page.locator('.group', { has: page.getByRole('heading', { name: 'Storage' }) })
    const told = (await read('/api/storage')) as { sessions: number; place: { data: string } }
    await eventually(() => storage.innerText()).toContain('SQLite')
    expect(await storage.innerText()).toContain(join(product().folder, 'data'))
    expect(await storage.innerText()).toMatch(/Size\s+[\d.]+ [kM]?B/)
    expect(await storage.innerText()).toMatch(/0 sessions for 30 days · 0 sessions for 90 days/)
    expect(await storage.locator('.command').count()).toBe(0)
    await page.route('**/api/storage', route =>
      route.fulfill({ json: { ...told, prunable: [{ older_than_days: 30, sessions: 4 }] } }),
    )
    await page.reload()
    await eventually(() => storage.locator('.command').innerText()).toBe(
      `toolwire db prune --older-than 30 --data '${told.place.data}'`,
    )
    await page.context().close()
  })

  test('run the checks of the doctor, each with its advice', async () => {
    const { page, problems } = await open('/settings')
    const health = page.locator('.group', { has: page.getByRole('heading', { name: 'Health' }) })
    expect(await health.locator('li').count()).toBe(0)
    // The page's own answer: some findings, such as the time, differ from one to the next.
    const answer = page.waitForResponse('**/api/doctor')
    await health.locator('.doctor-run').click()
    const { findings } = (await (await answer).json()) as {
      findings: readonly { state: string; what: string; mend?: string }[]
    }
    await eventually(() => health.locator('li').count()).toBeGreaterThanOrEqual(10)
    expect(findings.filter(({ state }) => state === 'bad')).toEqual([])
    for (const { state, what, mend } of findings) {
      const row = health.locator(`[data-finding="${state}"]`, { hasText: what })
      expect(await row.count()).toBe(1)
      if (mend !== undefined) expect(await row.innerText()).toContain(mend)
    }
    expect(JSON.stringify(findings)).not.toContain('unused-key')
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('say that a key of the environment wins over one that is set here', async () => {
    const { page } = await open('/settings')
    const row = page.locator('.provider', { has: page.getByRole('heading', { name: 'Anthropic' }) })
    const told = 'From the environment variable ANTHROPIC_API_KEY, which takes precedence over a key set here'
    await eventually(() => row.locator('p').first().innerText()).toBe(told)
    expect(await row.getByRole('button', { name: 'Remove' }).count()).toBe(0)
    await page.context().close()
  })

  test('say plainly whether commands run in a sandbox', async () => {
    const answer = await fetch(`${product().url}/api/settings`)
    const { sandbox } = (await answer.json()) as {
      sandbox: { enabled: boolean; available: boolean; reason: string }
    }
    const { page } = await open('/settings')
    const told = page.locator('[data-sandbox]')
    await told.waitFor()
    const on = sandbox.enabled && sandbox.available
    expect(await told.getAttribute('data-sandbox')).toBe(String(on))
    expect(await told.innerText()).toContain(
      on ? 'Commands run in a sandbox' : 'Commands run without a sandbox',
    )
    expect(await told.innerText()).toContain(sandbox.reason)
    await page.context().close()
  })
})

test('a question with several fields is a form, and its answers reach the tool', async () => {
  const { page, problems } = await open('/tools')
  const tool = page.locator('.tool', { has: page.locator('strong', { hasText: /^book$/ }) })
  await eventually(async () => {
    await page.reload()
    await page.locator('.tool').first().waitFor()
    return await tool.count()
  }).toBe(1)
  expect(await tool.locator('.tool-server').innerText()).toBe('test')
  expect(await tool.locator('.tool-risk').innerText()).toBe('may make changes')
  const { tools } = (await read('/api/tools')) as { tools: readonly { name: string; effect: string }[] }
  const effect = (name: string) => tools.find(one => one.name === name)?.effect
  const names = ['Read', 'Write', 'Bash', 'AskUserQuestion', 'mcp__test__book']
  expect(names.map(effect)).toEqual(['reads', 'changes', 'depends', 'asks', 'changes'])
  await tool.locator('summary').first().click()
  await tool.locator('.tool-details > .button').click()
  await tool.locator('button[type="submit"]').click()
  await tool.locator('[data-tw-part="allow-once"]').click()
  const question = tool.locator('[data-tw-part="question"]')
  await question.getByText('Who comes?').waitFor()
  expect(await question.getByLabel('guests').inputValue()).toBe('2')
  await question.locator('[data-tw-part="submit"]').click()
  await question.locator('[data-tw-part="field"] [data-tw-part="error"]').waitFor()
  await question.getByLabel('Name').fill('Ada')
  await question.getByLabel('guests').fill('3')
  await question.locator('[data-tw-part="submit"]').click()
  await question.getByText('Are you sure?').waitFor()
  await question.getByLabel('sure').selectOption('true')
  await question.locator('[data-tw-part="submit"]').click()
  const done = tool.locator('[data-tw-part="tool-call"][data-state="success"]')
  await done.waitFor()
  expect(await done.innerText()).toContain('booked {"guest":{"guests":3,"name":"Ada"},"sure":{"sure":true}}')
  expect(problems).toEqual([])
  await page.context().close()
})

describe('the palette', () => {
  test('goes to screens and sessions by a few letters, without the pointer', async () => {
    const { page, problems } = await open('/tools')
    await page.locator('h1', { hasText: 'Tools' }).waitFor()
    const palette = page.locator('.palette[open]')
    await eventually(async () => {
      await page.keyboard.press('Control+k')
      return await palette.count()
    }).toBe(1)
    await page.keyboard.type('sett')
    await eventually(() => palette.locator('[aria-selected="true"]').innerText()).toContain('Settings')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/settings')
    expect(await palette.count()).toBe(0)
    await page.keyboard.press('Control+k')
    const first = await palette.locator('[aria-selected="true"]').innerText()
    await page.keyboard.press('ArrowDown')
    expect(await palette.locator('[aria-selected="true"]').innerText()).not.toBe(first)
    await page.keyboard.type('no such thing')
    await palette.getByText('No matches').waitFor()
    await page.keyboard.press('Escape')
    await eventually(() => palette.count()).toBe(0)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('finds a session by its name', async () => {
    const made = await fetch(`${product().url}/api/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Lighthouse keeper' }),
    })
    const { id } = (await made.json()) as { id: string }
    const { page } = await open('/tools')
    await page.locator('.palette-button').click()
    await page.locator('.palette[open] input').fill('lighthouse')
    await page.locator('.palette [role="option"]', { hasText: 'Lighthouse keeper' }).click()
    await page.waitForURL(`**/sessions/${id}`)
    await page.context().close()
  })

  test('runs the item that fits the whole text when Enter follows the last letter at once', async () => {
    const { page } = await open('/', { colorScheme: 'light' })
    await page.locator('.palette-button').click()
    await page.locator('.palette[open] input').waitFor()
    await page.evaluate(() => {
      const input = document.querySelector('.palette input') as HTMLInputElement
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(
        input,
        'switch light dark',
      )
      input.dispatchEvent(new Event('input', { bubbles: true }))
      input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
    })
    await eventually(() => page.locator('html').getAttribute('data-tw-theme')).toBe('dark')
    await page.context().close()
  })

  test('switches theme and language and opens the trace, as the keys and settings do', async () => {
    const { page } = await open('/', { colorScheme: 'light' })
    const command = async (words: string) => {
      await page.locator('.palette-button').click()
      await page.locator('.palette[open] input').fill(words)
      await eventually(() => page.locator('.palette [aria-selected="true"]').count()).toBe(1)
      await page.keyboard.press('Enter')
      await eventually(() => page.locator('.palette[open]').count()).toBe(0)
    }
    const root = page.locator('html')
    await command('switch light dark')
    await eventually(() => root.getAttribute('data-tw-theme')).toBe('dark')
    await command('繁體')
    await eventually(() => root.getAttribute('lang')).toBe('zh-Hant')
    await page.reload()
    await eventually(() => root.getAttribute('data-tw-theme')).toBe('dark')
    await eventually(() => page.locator('.sidebar').innerText()).toContain('設定')
    await command('English')
    await eventually(() => root.getAttribute('lang')).toBe('en')
    await say(page, 'what time is it')
    await ended(page)
    await command('trace')
    await page.waitForURL('**/trace')
    await page.locator('[data-tw-part="timeline"]').waitFor()
    await page.context().close()
  })
})

test('what is set on one device stays: theme, how calls are shown, the key', async () => {
  const { page } = await open('/settings', { colorScheme: 'light' })
  const choose = (words: string) => page.locator('.segments label', { hasText: words }).click()
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await background()
  await choose('Dark')
  expect(await background()).not.toBe(light)
  await choose('Always open')
  await page.locator('.key-form input').fill('a-key-of-mine')
  await page.locator('.key-form button').click()
  await page.reload()
  expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true)
  expect(await background()).not.toBe(light)
  const asked = page.waitForRequest('**/api/chat/stream')
  await page.goto(product().url)
  await say(page, 'run `echo stays open`')
  expect((await asked).headers()['authorization']).toBe('Bearer a-key-of-mine')
  await ended(page)
  // A call that has ended long ago would be folded.
  await page.reload()
  await ended(page)
  expect(await toolCard(page, 'Bash').getAttribute('data-open')).toBe('true')
  await page.context().close()
})
