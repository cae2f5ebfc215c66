/** Both example apps in a real browser, against the real server with the demo model: the same flows, the same DOM. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, visit } from '../../apps/web/test/browser.ts'
import { type Launched, launch } from '../../packages/cli/test/launch.ts'
import { type Example, startExample } from './start-example.ts'

const BOX = '[data-tw-part="composer-box"] textarea'
const SCHEMA = { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] }

let browser: Browser
let server: Launched
const folder = mkdtempSync(join(tmpdir(), 'toolwire-examples-'))
beforeAll(async () => {
  server = await launch(folder, ['--port', '0', '--data', join(folder, 'data')])
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function say(page: Page, text: string): Promise<void> {
  await page.fill(BOX, text)
  await page.press(BOX, 'Enter')
}
const call = (page: Page, tool: string, state: string) =>
  page.locator(`[data-tw-part="tool-call"][data-tool="${tool}"][data-state="${state}"]`)
const ended = (page: Page, n = 1) => page.locator('[data-tw-part="turn-footer"]').nth(n - 1)
const heater = (page: Page) => page.locator('[data-part="heater"]')
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000 })

describe.each(['react', 'vue'] as const)('the %s example', name => {
  let example: Example
  beforeAll(async () => {
    example = await startExample(name, server.url)
  })
  afterAll(async () => await example?.stop())

  test('a message is answered with a tool card and statistics, and a reload shows the same', async () => {
    const { page, problems } = await visit(browser, example.url)
    await say(page, 'list the files')
    await ended(page).waitFor()
    expect(await call(page, 'Bash', 'success').count()).toBe(1)
    // A card that has just succeeded stays open for a moment.
    await page.locator('[data-tool="Bash"][data-open="false"] [data-tw-part="tool-header"]').click()
    await page.locator('[data-tw-part="terminal"]', { hasText: 'README.md' }).waitFor()
    const answer = await page.locator('[data-tw-part="message"][data-role="assistant"]').last().innerText()
    await page.reload()
    await ended(page).waitFor()
    await eventually(() =>
      page.locator('[data-tw-part="message"][data-role="assistant"]').last().innerText(),
    ).toBe(answer)
    expect(await page.locator('[data-part="requests"]').innerText()).toBe('2 model requests')
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('a question outlives a reload, and an approval lets the call run', async () => {
    const { page, problems } = await visit(browser, example.url)
    await say(page, '/ask')
    await page.locator('[data-state="awaiting_approval"] [data-tw-part="allow-once"]').waitFor()
    await page.reload()
    await page.locator('[data-state="awaiting_approval"] [data-tw-part="allow-once"]').click()
    await ended(page).waitFor()
    expect(await page.locator('[data-tw-part="tool-call"][data-state="success"]').count()).toBe(1)
    expect(await page.locator('[data-tw-part="approval"]').count()).toBe(0)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('a tool of the page changes the page and answers by itself', async () => {
    const { page, problems } = await visit(browser, example.url)
    expect(await heater(page).innerText()).toBe('20°')
    await say(page, 'set the temperature to 23')
    await ended(page).waitFor()
    expect(await heater(page).innerText()).toBe('23°')
    expect(await call(page, 'set_temperature', 'success').count()).toBe(1)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('a page that is opened later runs the call that waits for it, and a reload does not run it again', async () => {
    const { page, problems } = await visit(browser, example.url)
    await eventually(() => new URL(page.url()).hash).not.toBe('')
    const address = page.url()
    await page.close()
    const session = new URL(address).hash.slice(1)
    const tools = [{ name: 'set_temperature', description: 'Sets the temperature.', input_schema: SCHEMA }]
    const sent = await fetch(`${server.url}/api/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: session, message: 'set the temperature to 19', tools }),
    })
    await sent.text()
    const later = await visit(browser, address)
    await ended(later.page).waitFor()
    expect(await heater(later.page).innerText()).toBe('19°')
    await later.page.reload()
    await ended(later.page).waitFor()
    expect(await heater(later.page).innerText()).toBe('20°')
    const log = await (await fetch(`${server.url}/api/sessions/${session}/export`)).text()
    expect(log.match(/"type":"input\.tool_output"/g)).toHaveLength(1)
    expect([...problems, ...later.problems]).toEqual([])
    await later.page.context().close()
  })
})
