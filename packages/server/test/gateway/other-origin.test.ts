/** The vendors' clients in a real browser, in pages of other origins: one that the server allows, and one that it does not. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import headless from '@sparticuz/chromium'
import { type Browser, chromium, type Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway-server.ts'

const ENTRY = fileURLToPath(new URL('page-clients.ts', import.meta.url))

/** What a page reports of its requests. */
type Report = Readonly<Record<string, unknown>>
declare global {
  var ask: (url: string) => Promise<Report>
}

async function bundleClients(): Promise<string> {
  const rolldownOptions = { input: ENTRY }
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, rolldownOptions },
  })
  return (built as Rolldown.RolldownOutput).output[0].code
}

async function startPages(script: string): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

let allowed: Awaited<ReturnType<typeof startPages>>
let other: Awaited<ReturnType<typeof startPages>>
let gateway: Gateway
let browser: Browser
beforeAll(async () => {
  const script = await bundleClients()
  allowed = await startPages(script)
  other = await startPages(script)
  gateway = await startGateway({ config: { allowedOrigins: [allowed.origin] } })
  const executablePath = await headless.executablePath()
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
})
afterAll(async () => {
  await browser.close()
  await gateway.close()
  for (const { server } of [allowed, other]) server.close()
})

async function open(origin: string): Promise<Page> {
  const page = await browser.newPage()
  page.setDefaultTimeout(100_000)
  await page.goto(origin)
  await page.waitForFunction(() => 'ask' in globalThis)
  return page
}

test('a page of an allowed origin streams with both clients and reads our headers', async () => {
  const page = await open(allowed.origin)
  const report = await page.evaluate(url => globalThis.ask(url), gateway.url)
  expect(report).toEqual({
    openai: 'hi',
    session: expect.stringMatching(/^[\w-]+$/),
    cursor: expect.stringContaining('.'),
    warnings: expect.stringContaining('seed'),
    anthropic: 'hi',
    overloaded: 529,
  })
  await page.close()
})

test('a page of another origin gets nothing, and starts nothing', async () => {
  const before = gateway.model.requests.length
  const page = await open(other.origin)
  const report = await page.evaluate(url => globalThis.ask(url), gateway.url)
  expect(report).toEqual({ failed: 'Connection error.' })
  expect(gateway.model.requests.length).toBe(before)
  await page.close()
})
