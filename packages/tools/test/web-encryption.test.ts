/** Pages over TLS that lead out of it. What would be encrypted is sent plainly here: the walk is the same. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { fetchPage } from '../src/web/fetch-page.ts'

vi.mock('node:https', async () => {
  const http = await import('node:http')
  const plain = (url: URL, options: object) => {
    const at = new URL(url)
    at.protocol = 'http:'
    return http.request(at, options)
  }
  return { request: plain, default: { request: plain } }
})

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise(resolve => server.close(resolve))
})

async function listen(answer: RequestListener): Promise<number> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const reach = { private_hosts: ['site.test'], resolve: async () => ['127.0.0.1'] }
const { signal } = new AbortController()

test('a page over TLS is not followed to one without it, though the host is the same; the other way it is', async () => {
  let plain = 0
  const port = await listen((_, response) => {
    plain += 1
    response.end('plain')
  })
  const leading = (to: string) =>
    listen((_, response) => void response.writeHead(302, { location: to }).end())
  const down = await leading(`http://site.test:${port}/`)
  const up = await leading(`https://site.test:${port}/`)
  expect(await fetchPage({ url: `https://site.test:${down}/`, reach, signal })).toMatchObject({
    type: 'elsewhere',
    to: `http://site.test:${port}/`,
  })
  expect(plain).toBe(0)
  expect(await fetchPage({ url: `http://site.test:${up}/`, reach, signal })).toMatchObject({ type: 'page' })
})
