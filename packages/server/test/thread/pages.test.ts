import { readdirSync, readFileSync } from 'node:fs'
import headless from '@sparticuz/chromium'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startThreadServer, type ThreadServer } from './thread-server.ts'

const PAGES = new URL('pages/', import.meta.url)
const pages = Object.fromEntries(
  readdirSync(PAGES).map(file => {
    const type = file.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/html; charset=utf-8'
    return [`/pages/${file}`, { type, text: readFileSync(new URL(file, PAGES), 'utf8') }]
  }),
)

const calls = [
  ['set_temperature', { value: 0.8 }],
  ['set_model', { model: 'big' }],
  ['scroll_to_section', { section: 'below' }],
  ['refresh_data', { target: 'data' }],
  ['not_here', {}],
  ['break_down', {}],
] as const

let server: ThreadServer
let browser: Browser
beforeAll(async () => {
  server = await startThreadServer({ script: { everything: [{ calls }] }, pages })
  const executablePath = await headless.executablePath()
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

async function open(file: string): Promise<Page> {
  const page = await browser.newPage()
  page.setDefaultTimeout(100_000)
  await page.goto(`${server.url}/pages/${file}`)
  await page.waitForFunction(() => document.getElementById('end')?.textContent !== '')
  return page
}

/** The handlers did what the model asked for, and the model learned what came of each call, in order. */
async function expectDone(page: Page): Promise<void> {
  expect(await page.inputValue('#temperature')).toBe('0.8')
  expect(await page.inputValue('#model')).toBe('big')
  expect(await page.textContent('#data')).toBe('fresh')
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(1000)
  expect(await page.textContent('#answer')).toBe(
    'got {"success":true,"new_value":0.8} | {"success":true,"model":"big"} | {"success":true} | ' +
      '{"success":true,"count":3} | {"success":false,"error":"no tool not_here here"} | ' +
      '{"success":false,"error":"the handler broke"}',
  )
  expect(await page.textContent('#end')).toBe('partial_success')
}

describe('a page in a browser', () => {
  it('that only looks at conversation.paused runs every tool, and its EventSource stops by itself', async () => {
    const asked = server.requests.length
    const page = await open('only-paused.html')
    await expectDone(page)
    await page.waitForFunction(() => document.getElementById('steps')?.textContent === 'stopped')
    expect(server.requests.length - asked).toBe(2)
    await page.close()
  })

  it.each(['', '#slow'])(
    'that reads all through one EventSource sees the resumption and the rest, then stops (%s)',
    async hash => {
      const asked = server.requests.length
      const page = await open(`event-source-only.html${hash}`)
      await expectDone(page)
      await page.waitForFunction(() => document.getElementById('steps')?.textContent === 'resumed stopped')
      expect(server.requests.length - asked).toBe(2)
      await page.close()
    },
  )

  it('that listens to every event sees each call asked for, the resumption and each outcome', async () => {
    const page = await open('with-execute.html')
    await expectDone(page)
    const names = calls.map(([name]) => name)
    const outcome = (name: string) => (name === 'not_here' || name === 'break_down' ? 'failed' : 'ok')
    expect(JSON.parse((await page.textContent('#steps')) ?? '')).toEqual([
      ...names.map(name => `run ${name}`),
      'resumed',
      ...names.map(name => `${outcome(name)} ${name}`),
    ])
    await page.close()
  })

  it('of another site can neither read a thread nor start a run', async () => {
    const other = await startThreadServer({ script: {}, pages })
    const asked = server.requests.length
    const page = await browser.newPage()
    await page.goto(`${other.url}/pages/handlers.js`)
    const outcomes = await page.evaluate(async url => {
      const attempt = (path: string, init: RequestInit) =>
        fetch(url + path, init).then(
          () => 'answered',
          () => 'failed',
        )
      const query = '/v4/response?input=everything'
      await attempt(query, { mode: 'no-cors' })
      return [
        await attempt(query, {}),
        await attempt('/v4/response', { method: 'POST', body: '{"input":"everything"}' }),
      ]
    }, server.url)
    expect(outcomes).toEqual(['failed', 'failed'])
    await server.settled()
    expect(server.requests.length).toBe(asked)
    await page.close()
    await other.close()
  })
})
