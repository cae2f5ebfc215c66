/** Settings and questions of a server that has more than the default: memory, MCP servers, a sandbox or none. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { eventually, setUpProduct } from './product.ts'

const TEST_SERVER = fileURLToPath(
  new URL('../../../packages/runtime/test/tools/mcp/stdio-server.ts', import.meta.url),
)
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
  prepare: async data => {
    mkdirSync(join(data, MEMORY), { recursive: true })
    writeFileSync(join(data, MEMORY, 'likes.md'), 'tea')
    writeFileSync(join(data, MEMORY, 'hates.md'), 'coffee')
    writeFileSync(join(dirname(data), 'toolwire.config.json'), JSON.stringify(CONFIG))
  },
})
const kept = (file: string): boolean => existsSync(join(product().folder, 'data', MEMORY, file))

describe('settings', () => {
  test('list what models have kept, and one note is deleted without the others', async () => {
    const { page, problems } = await open('/settings')
    const memory = page.locator('.group', { hasText: 'Notes that models have kept' })
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

  test('tell how every MCP server is, and why one is not there', async () => {
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
  expect(await tool.locator('.tool-risk').innerText()).toBe('may change something')
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
    await palette.getByText('Nothing matches').waitFor()
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
    await page.keyboard.type('lighthouse')
    await page.locator('.palette [role="option"]', { hasText: 'Lighthouse keeper' }).click()
    await page.waitForURL(`**/sessions/${id}`)
    await page.context().close()
  })
})
