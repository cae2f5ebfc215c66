/** Pages of MCP servers beside their calls: what they receive, what they may do, and what they cannot. */
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Script } from '../../../packages/core/test/view/script.ts'
import { ended, eventually, say, setUpProduct, toolCard } from './product.ts'
import { HOSTILE, WEATHER } from './tool-page-html.ts'
import { writeSessions } from './written-session.ts'

const SERVERS = fileURLToPath(new URL('../../../packages/mcp/test/', import.meta.url))

/** A server elsewhere, which must never hear of anything. */
let elsewhere: Server
const heard: string[] = []
let evil = ''
beforeAll(async () => {
  elsewhere = createServer((request, response) => {
    heard.push(request.url ?? '')
    response.setHeader('access-control-allow-origin', '*').end('x')
  })
  await new Promise<void>(done => elsewhere.listen(0, '127.0.0.1', done))
  const at = elsewhere.address()
  evil = `http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}`
})
afterAll(() => elsewhere.close())

const { open, product } = setUpProduct({
  prepare: async data => {
    const folder = dirname(data)
    await mkdir(folder, { recursive: true })
    const weather = join(folder, 'weather.html')
    const hostile = join(folder, 'hostile.html')
    await writeFile(weather, WEATHER)
    await writeFile(hostile, HOSTILE.replaceAll('EVIL', evil))
    const server = (file: string, ...args: readonly string[]) => ({
      command: process.execPath,
      args: ['--conditions=toolwire-source', join(SERVERS, file), 'modern', ...args],
    })
    const config = {
      mcpServers: { desk: server('page-server.ts', weather, hostile), other: server('stdio-server.ts') },
      permissions: { allow: ['mcp__desk__weather', 'mcp__desk__hostile'] },
    }
    await writeFile(join(folder, 'toolwire.config.json'), JSON.stringify(config))
    await writeSessions(data, { [BUILDING]: halfWritten() })
  },
})

/** A session whose model is still writing the arguments of a call. */
const BUILDING = '0190aaaa-0000-7000-8000-00000000b01d'
function halfWritten() {
  const script = new Script().created().ask('weather?').turn('m1')
  const tool = { call_id: 'c1', name: 'mcp__desk__weather', tool_type: 'mcp', executor: 'server' } as const
  const block = { message_id: 'm1', block_id: 'm1.0', index: 0, run_index: 0, kind: 'tool_use' } as const
  return script
    .add('block.started', { ...block, tool })
    .add('block.delta', { block_id: 'm1.0', offset: 0, input_text: '{"city":"Ber' }).records
}

const api = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(product().url + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  return { status: response.status, body: response.status === 204 ? undefined : await response.json() }
}

/** A session with one call, its page open. */
async function shown(tool: string, input: object, options: BrowserContextOptions = {}) {
  let session = ''
  // The servers start beside the product.
  await eventually(async () => {
    const { status, body } = await api('POST', `/api/tools/mcp__desk__${tool}/try`, { input })
    session = body.session_id
    return status
  }).toBe(201)
  const { page, problems } = await open(`/sessions/${session}`, options)
  await ended(page)
  await page.locator('.expand-all').click()
  expect(await page.locator('iframe').count()).toBe(0)
  await page.locator('.open-page').click()
  const frame = page.frameLocator('.page-frame')
  const log = () => frame.locator('#log').innerText()
  return { page, problems, frame, log, session }
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const pending = async () => (await api('GET', '/api/pending')).body.pending
const waiting = (page: Page) => page.locator('.page-calls [data-state="awaiting_approval"]')

/** Whether an element could be pressed in the moment in which it appeared. */
const firstOf = (page: Page, selector: string): Promise<string> =>
  page.evaluate(
    wanted =>
      new Promise<string>(resolve => {
        const watcher = new MutationObserver(() => {
          const found = document.querySelector(wanted)
          if (found) resolve(found.closest('[inert]') ? 'takes no clicks' : 'takes clicks')
        })
        watcher.observe(document.body, { childList: true, subtree: true })
      }),
    selector,
  )

describe('the page of an MCP server', () => {
  test('gets its call, and its own calls wait for a decision', async () => {
    const { page, frame, log, problems } = await shown('weather', { city: 'Bergen' })
    await eventually(log).toContain('tool-result')
    expect(await log()).toContain('host ["light","en","inline","weather",{}]')
    expect(await log()).toContain('tool-input {"arguments":{"city":"Bergen"}}')
    expect(await log()).toContain('"structuredContent":{"degrees":7}')
    expect(await log()).toContain('drops')
    await page.emulateMedia({ colorScheme: 'dark' })
    await eventually(log).toContain('host-context-changed {"theme":"dark"}')

    const first = firstOf(page, '.page-calls [data-tw-part="allow-once"]')
    await frame.locator('#save').click()
    await waiting(page).waitFor()
    expect(await first).toBe('takes no clicks')
    expect(await pending()).toMatchObject([{ name: 'mcp__desk__save' }])
    expect(await log()).not.toContain('saved')
    await waiting(page).locator('[data-tw-part="allow-once"]').click()
    await eventually(log).toContain('saved={"content":[{"type":"text","text":"saved Oslo"}]')
    await frame.locator('#save').click()
    await waiting(page).locator('[data-tw-part="deny"]').click()
    await waiting(page).locator('[data-tw-part="submit"]').click()
    await eventually(log).toMatch(/saved=.*"isError":true/)
    expect(await pending()).toEqual([])

    await frame.locator('#read').click()
    await eventually(log).toContain('kept by the desk')
    await frame.locator('#grow').click()
    await eventually(async () => (await page.locator('.page-frame').boundingBox())?.height).toBe(333)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('opens links and proposes text only as far as the user wants it', async () => {
    const { page, frame, log, session } = await shown('weather', { city: 'Bergen' })
    await eventually(log).toContain('tool-result')
    const first = firstOf(page, '.page-ask a')
    await frame.locator('#link').click()
    const ask = page.locator('.page-ask')
    expect(await first).toBe('takes no clicks')
    await eventually(() => ask.innerText()).toContain('weather.example')
    const link = ask.locator('a')
    expect(await link.getAttribute('href')).toBe('https://weather.example/map')
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
    expect(page.context().pages()).toHaveLength(1)
    await ask.locator('button').click()
    await eventually(log).toContain('link={"isError":true}')

    await frame.locator('#say').click()
    await eventually(() => ask.innerText()).toContain('Pack an umbrella')
    await ask.locator('button').first().click()
    await eventually(() => page.locator('iframe').count()).toBe(0)
    const box = page.locator('[data-tw-part="composer-box"] textarea')
    expect(await box.inputValue()).toBe('Pack an umbrella')
    expect((await api('GET', `/api/sessions/${session}`)).body.conversation_count).toBe(1)

    // It can be opened again, and close by itself; earlier permissions are asked for again.
    await page.locator('.open-page').click()
    await eventually(log).toContain('tool-result')
    await page.locator('.page-network').click()
    await eventually(log).toContain('"connectDomains":["https://api.weather.example"]')
    expect(await page.locator('.page-frame').getAttribute('src')).toContain('connect=https')
    await frame.locator('#bye').click()
    await eventually(() => page.locator('iframe').count()).toBe(0)

    // A page that navigates elsewhere, if only to a frame with more rights, is closed.
    await page.locator('.open-page').click()
    await eventually(log).toContain('tool-result')
    await frame.locator('#go').click()
    await eventually(() => page.locator('iframe').count()).toBe(0)
    await page.context().close()
  })

  test('reaches the https origins that the user allowed, and no other', async () => {
    const { page, frame, log } = await shown('weather', { city: 'Bergen' })
    // Whatever gets past the policies of the page is answered here, and written down.
    const asked: string[] = []
    await page.context().route(/^https:/, async route => {
      asked.push(route.request().url())
      const isPicture = route.request().url().endsWith('.png')
      const headers = { 'access-control-allow-origin': '*' }
      if (isPicture) await route.fulfill({ headers, contentType: 'image/png', body: PIXEL })
      else await route.fulfill({ headers, body: 'rain' })
    })
    await eventually(log).toContain('tool-result')
    await frame.locator('#reach').click()
    await eventually(log).toContain('reached ["refused","refused","refused","refused","refused"]')
    expect(asked).toEqual([])
    await page.locator('.page-network').click()
    await eventually(log).toContain('tool-result')
    await frame.locator('#reach').click()
    await eventually(log).toContain('reached ["rain","refused","refused","drawn","refused"]')
    expect(asked).toEqual(['https://api.weather.example/now', 'https://cdn.weather.example/map.png'])
    await page.context().close()
  })

  test('saves files only on request, and under harmless names', async () => {
    const { page, frame, log } = await shown('weather', { city: 'Bergen' })
    await eventually(log).toContain('tool-result')
    const first = firstOf(page, '.page-ask .primary')
    await frame.locator('#file').click()
    const ask = page.locator('.page-ask')
    expect(await first).toBe('takes no clicks')
    await eventually(() => ask.innerText()).toContain('week.csv (6 B)')
    await ask.locator('button').last().click()
    await eventually(log).toContain('file={"isError":true}')
    const saved: { readonly name: string; readonly text: string }[] = []
    page.on('download', async download => {
      const text = readFileSync(await download.path(), 'utf8')
      saved.push({ name: download.suggestedFilename(), text })
    })
    await frame.locator('#file').click()
    await ask.locator('.primary').click()
    await eventually(log).toContain('file={}')
    await eventually(() => saved.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
      { name: 'desk.txt', text: 'kept by the desk' },
      { name: 'week.csv', text: 'day,mm' },
    ])
    await page.context().close()
  })

  test('adds to the next message what its reader sees and may leave out', async () => {
    const { page, frame, log, session } = await shown('weather', { city: 'Bergen' })
    await eventually(log).toContain('tool-result')
    await frame.locator('#keep').click()
    await eventually(log).toContain('keep={}')
    await page.locator('.dialog[open] > header > button').click()
    await eventually(() => page.locator('iframe').count()).toBe(0)
    const note = page.locator('.page-context')
    expect(await note.innerText()).toContain('Oslo is on the map')
    await note.locator('button').click()
    await eventually(() => note.count()).toBe(0)
    await page.locator('.open-page').click()
    await eventually(log).toContain('tool-result')
    await frame.locator('#keep').click()
    await eventually(log).toContain('keep={}')
    await page.locator('.dialog[open] > header > button').click()
    // Behind an open dialog the box takes no keys.
    await eventually(() => page.locator('iframe').count()).toBe(0)
    await note.waitFor()
    await say(page, 'and tomorrow?')
    await eventually(() => note.count()).toBe(0)
    await eventually(() => page.locator('[data-tw-part="thread-rows"]').innerText()).toContain(
      'Oslo is on the map',
    )
    const { body } = await api('GET', `/api/sessions/${session}/messages`)
    expect(JSON.stringify(body)).toContain('From the page of desk:\\nOslo is on the map')
    await page.context().close()
  })

  test('can be opened while the arguments are written, and hears them as far as they have come', async () => {
    const { page } = await open(`/sessions/${BUILDING}`)
    await toolCard(page, 'mcp__desk__weather').locator('[data-tw-part="tool-header"]').click()
    await page.locator('.open-page').click()
    const log = () => page.frameLocator('.page-frame').locator('#log').innerText()
    await eventually(log).toContain('tool-input-partial {"arguments":{"city":"Ber"}}')
    expect(await log()).not.toContain('tool-input ')
    await page.context().close()
  })

  test('reaches neither this app, nor the network, nor other servers, and is not heard after its end', async () => {
    const { page, log, session } = await shown('hostile', {})
    await eventually(log).toContain('all tried')
    const said = (await log()).split('\n')
    for (const name of ['parent', 'top', 'storage', 'cookie', 'mark'])
      expect(said).toContain(`${name} refused`)
    expect(said).toContain('opened=null')
    expect(said).toContain('early refused -32000')
    for (const name of ['echo', 'mcp__other__echo', 'think', 'Bash', 'mcp__desk__save'])
      expect(said).toContain(`tool ${name} refused -32000`)
    for (const uri of ['test://vault', 'file:///etc/passwd'])
      expect(said).toContain(`resource ${uri} refused -32000`)
    expect(said).toContain('script link={"isError":true}')
    expect(said).toContain('sampling refused -32601')
    expect(said).toContain('outside rejected,rejected')

    // What others say in its name is not heard either, though the page is open.
    await page.evaluate(() => {
      const params = { name: 'save', arguments: { city: 'Y' } }
      window.postMessage({ jsonrpc: '2.0', id: 'other', method: 'tools/call', params }, '*')
    })
    await page.keyboard.press('Escape')
    await eventually(() => page.locator('iframe').count()).toBe(0)
    // Elsewhere listens: it hears what is said from here.
    await fetch(`${evil}/control`)
    expect(heard.splice(0)).toEqual(['/control'])
    expect(await pending()).toEqual([])
    const pages = (await api('GET', '/api/sessions?archived=true')).body.sessions
    expect(pages.filter((one: { title: string }) => one.title.includes('hostile'))).toEqual([])
    expect(page.url()).toBe(`${product().url}/sessions/${session}`)
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
    await page.context().close()
  })

  test.each(['light', 'dark'] as const)(
    'can be used by every user, with what it asks for (%s)',
    async theme => {
      const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
      // The policy of the page would refuse the checker itself.
      const options = { colorScheme: theme, bypassCSP: true }
      const { page, frame, log } = await shown('weather', { city: 'Bergen' }, options)
      await eventually(log).toContain('tool-result')
      await frame.locator('#link').click()
      await page.locator('.page-ask').waitFor()
      await frame.locator('#save').click()
      await waiting(page).waitFor()
      await eventually(() => page.locator('[inert]').count()).toBe(0)
      await page.evaluate(axe)
      const serious = await page.evaluate(async () => {
        const { axe: checker } = window as unknown as { axe: typeof import('axe-core') }
        const { violations } = await checker.run('dialog[open]', { iframes: false })
        return violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => [id, ...nodes.map(node => node.html)].join(' '))
      })
      expect(serious).toEqual([])
      await waiting(page).locator('[data-tw-part="allow-once"]').click()
      await eventually(log).toContain('saved Oslo')
      await page.context().close()
    },
  )
})
