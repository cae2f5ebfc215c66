/** Where an MCP server can make us connect to, and what it can make us send there. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, test } from 'vitest'
import { createServerFetch } from '../../src/server-fetch.ts'
import { closeServers, serveModern } from '../http-servers.ts'

const servers: Server[] = []
afterEach(async () => {
  await closeServers()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
})

interface Listening {
  readonly port: number
  readonly seen: IncomingMessage[]
}

async function listen(answer: RequestListener): Promise<Listening> {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    answer(request, response)
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, seen }
}

const ok: RequestListener = (_, response) => void response.end('inside')
const to =
  (location: string, status = 307): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { location }).end()

describe('a public MCP server', () => {
  /** Names resolve as a hostile name server would have it. */
  const resolve = async (): Promise<readonly string[]> => ['127.0.0.1']

  test.each([
    'http://127.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://10.0.0.8/token',
    'http://192.168.1.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://2130706433/',
    'http://rebound.example/',
  ])('does not lead to %s', async address => {
    const reach = createServerFetch('https://mcp.example/mcp', { resolve })
    await expect(reach(address)).rejects.toThrow(/private address/)
  })

  test('whose own name resolves to a private address is not reached either', async () => {
    const { port, seen } = await listen(ok)
    const reach = createServerFetch(`http://mcp.example:${port}/mcp`, { resolve })
    await expect(reach(`http://mcp.example:${port}/mcp`)).rejects.toThrow(/private address/)
    expect(seen).toEqual([])
  })

  test('is connected to at the address that was checked, asked for once', async () => {
    const { port, seen } = await listen(ok)
    const asked: string[] = []
    const reach = createServerFetch(`http://mcp.example:${port}/mcp`, {
      private_hosts: ['mcp.example'],
      resolve: async host => {
        asked.push(host)
        return ['127.0.0.1']
      },
    })
    expect(await (await reach(`http://mcp.example:${port}/mcp`)).text()).toBe('inside')
    expect(asked).toEqual(['mcp.example'])
    expect(seen).toHaveLength(1)
  })

  test('speaks the whole protocol over such a connection', async () => {
    const { url } = await serveModern()
    const named = url.replace('127.0.0.1', 'mcp.example')
    const fetch = createServerFetch(named, { private_hosts: ['mcp.example'], resolve })
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(named), { fetch }))
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    await client.close()
  })
})

describe('a redirect', () => {
  test('to another origin is not followed, and takes no header along', async () => {
    const other = await listen(ok)
    const first = await listen(to(`http://127.0.0.1:${other.port}/`))
    const home = `http://127.0.0.1:${first.port}/mcp`
    const sent = createServerFetch(home)(home, {
      method: 'POST',
      body: '{}',
      headers: { 'x-api-key': 'secret' },
    })
    await expect(sent).rejects.toThrow(/not followed/)
    expect(other.seen).toEqual([])
  })

  test('on the same origin is followed where the request stays what it is', async () => {
    const { port, seen } = await listen((request, response) =>
      request.url === '/mcp' ? to('/mcp/')(request, response) : ok(request, response),
    )
    const home = `http://127.0.0.1:${port}/mcp`
    const reach = createServerFetch(home)
    expect(await (await reach(home, { method: 'POST', body: '{}' })).text()).toBe('inside')
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /mcp', 'POST /mcp/'])
  })

  test.each([301, 302, 303])('that would turn a POST into a GET (%i) is refused', async status => {
    const { port } = await listen(to('/elsewhere', status))
    const home = `http://127.0.0.1:${port}/mcp`
    await expect(createServerFetch(home)(home, { method: 'POST', body: '{}' })).rejects.toThrow(
      /would change/,
    )
  })

  test('in a circle ends', async () => {
    const { port, seen } = await listen(to('/mcp'))
    const home = `http://127.0.0.1:${port}/mcp`
    await expect(createServerFetch(home)(home)).rejects.toThrow(/more than 5 times/)
    expect(seen).toHaveLength(6)
  })
})

describe('an MCP server of the own network', () => {
  test('may lead to another of it, but not to the addresses of the cloud itself', async () => {
    const { port } = await listen(ok)
    const resolve = async (host: string): Promise<readonly string[]> =>
      host === 'login' ? ['127.0.0.1'] : ['169.254.169.254']
    const reach = createServerFetch('http://mcp:3000/mcp', { resolve })
    expect(await (await reach(`http://login:${port}/`)).text()).toBe('inside')
    await expect(reach('http://metadata.internal/')).rejects.toThrow(/link-local/)
    await expect(reach('http://169.254.169.254/')).rejects.toThrow(/link-local/)
  })

  test.each([
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://2852039166/',
  ])('does not lead to the cloud itself as %s', async address => {
    await expect(createServerFetch('http://mcp:3000/mcp')(address)).rejects.toThrow(/link-local/)
  })
})
