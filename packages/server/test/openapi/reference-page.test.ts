import { JSDOM } from 'jsdom'
import { afterEach, expect, test } from 'vitest'
import { createDocument } from '../../src/openapi/document.ts'
import { renderReference } from '../../src/openapi/reference-page.ts'
import { ROUTES } from '../../src/routes.ts'
import { type Running, startServer } from '../start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

const document = createDocument({ routes: ROUTES, version: '1.2.3' })

test('the page shows every operation of the server, and needs no key', async () => {
  running = await startServer({ apiKeys: ['a-key-of-length'] })
  const answer = await fetch(`${running.url}/reference`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const page = new JSDOM(await answer.text()).window.document
  const told = await (await fetch(`${running.url}/openapi.json`)).json()
  const ids = Object.values(told.paths as (typeof document)['paths']).flatMap(methods =>
    Object.values(methods).map(one => one.operationId),
  )
  expect([...page.querySelectorAll('.operation')].map(one => one.id).sort()).toEqual(ids.sort())
  const chat = page.querySelector('#chat')
  expect(chat?.querySelector('summary')?.textContent).toContain('POST /api/chat/stream')
  expect(chat?.textContent).toContain('text/event-stream events of ChatFrame')
})

test('its policy lets it do nothing but use its own style sheet', async () => {
  running = await startServer()
  const answer = await fetch(`${running.url}/reference`)
  const policy = answer.headers.get('content-security-policy') ?? ''
  const page = new JSDOM(await answer.text()).window.document
  const style = page.querySelector('style')?.textContent ?? ''
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style)))
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain(`style-src 'sha256-${digest.toString('base64')}'`)
  expect(policy).not.toContain('unsafe')
  expect(page.querySelectorAll('script, link, img, iframe, [style], [onclick]')).toHaveLength(0)
  const elsewhere = [...page.querySelectorAll('[href], [src]')].filter(
    one => !/^[#/](?!\/)/.test(one.getAttribute('href') ?? one.getAttribute('src') ?? ''),
  )
  expect(elsewhere).toHaveLength(0)
})

test('every link of the page leads somewhere', () => {
  const page = new JSDOM(renderReference(document)).window.document
  const links = [...page.querySelectorAll('a[href^="#"]')]
  expect(links.length).toBeGreaterThan(100)
  const dead = links.filter(link => !page.getElementById((link.getAttribute('href') ?? '').slice(1)))
  expect(dead.map(link => link.getAttribute('href'))).toEqual([])
  expect(page.querySelector('details.schema > #schema-Session')?.textContent).toContain('workspace_path')
})

test('texts are shown as texts, whatever they hold', () => {
  const [path = ''] = Object.keys(document.paths)
  const get = document.paths[path]?.['post']
  const summary = '<img src=x onerror=alert(1)> & "quotes"'
  const hostile = {
    ...document,
    info: { ...document.info, title: '</title><script>alert(1)</script>' },
    paths: { ...document.paths, [path]: { post: { ...get, summary, description: "`<b>` 'x'" } } },
  } as typeof document
  const page = new JSDOM(renderReference(hostile)).window.document
  expect(page.querySelectorAll('script, img, b')).toHaveLength(0)
  expect(page.body.textContent).toContain(summary)
})
