import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import iconv from 'iconv-lite'
import { afterEach, describe, expect, test } from 'vitest'
import { createWebFetchTool, type WebFetchOptions } from '../src/builtin/web-fetch.ts'
import { createWebSearchTools, type WebSearchOptions } from '../src/builtin/web-search.ts'
import { pageText } from '../src/web/page-text.ts'
import { isPublicAddress } from '../src/web/public-address.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

const stages: Stage[] = []
const servers: Server[] = []
afterEach(async () => {
  for (const stage of stages.splice(0)) stage.close()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
})

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** `site.test` is the local server and may be fetched; every other name is a private machine. */
function fetching(options: WebFetchOptions = {}, mode = 'bypassPermissions'): Stage {
  const resolve = async (host: string) => (host.endsWith('site.test') ? ['127.0.0.1'] : ['10.1.2.3'])
  const tool = createWebFetchTool({ private_hosts: ['site.test'], resolve, ...options })
  const stage = createStage({ tools: [tool], mode })
  stages.push(stage)
  return stage
}
const get = (s: Stage, url: string) => s.one('WebFetch', { url })

describe('addresses', () => {
  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '0.0.0.0',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2001::1',
    'localhost',
    '',
  ])('%s is not public', address => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each(['8.8.8.8', '172.32.0.1', '192.167.0.1', '1.1.1.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is public',
    address => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  test.each([
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://017700000001/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://intranet/',
    'http://169.254.169.254/latest/meta-data/',
  ])('private ones are refused: %s', async url => {
    const call = await get(fetching(), url)
    expect(codeOf(call)).toBe('denied_address')
    expect(textOf(call)).toContain('private')
  })

  test.each([
    'file:///etc/passwd',
    'ftp://site.test/',
    'http://user:pw@site.test/',
    'nonsense',
    'data:text/plain,x',
  ])('what is no plain web address is refused: %s', async url => {
    expect(codeOf(await get(fetching(), url))).toBe('bad_url')
  })

  test('a name with one private address among public ones is refused', async () => {
    const s = fetching({ resolve: async () => ['8.8.8.8', '10.0.0.1'] })
    expect(codeOf(await get(s, 'http://mixed.example/'))).toBe('denied_address')
  })

  test('the address that was checked is the one that is connected to', async () => {
    let asked = 0
    const port = await serve((_, response) => response.end('hello'))
    const s = fetching({
      // A second lookup would return an address with no listener.
      resolve: async () => (asked++ === 0 ? ['127.0.0.1'] : ['127.9.9.9']),
    })
    expect(textOf(await get(s, `http://site.test:${port}/`))).toContain('hello')
    expect(asked).toBe(1)
  })
})

describe('redirects', () => {
  test('are followed on the same host', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/new') response.end('arrived')
      else response.writeHead(301, { location: '/new' }).end()
    })
    expect(textOf(await get(fetching(), `http://site.test:${port}/old`))).toContain('arrived')
  })

  test('to a private address are refused, whatever name leads there', async () => {
    const s = fetching()
    for (const location of ['http://127.0.0.1/', 'http://internal.example/', 'http://www.site.test/']) {
      const port = await serve((_, response) => response.writeHead(302, { location }).end())
      expect(codeOf(await get(s, `http://site.test:${port}/`))).toBe('denied_address')
    }
  })

  test('to another host are reported, not followed', async () => {
    const s = fetching({ resolve: async host => (host === 'site.test' ? ['127.0.0.1'] : ['8.8.8.8']) })
    const port = await serve((_, response) =>
      response.writeHead(302, { location: 'https://other.example/x' }).end(),
    )
    expect(textOf(await get(s, `http://site.test:${port}/`))).toContain(
      'call WebFetch with https://other.example/x',
    )
  })

  test('to other schemes and in circles end with an error', async () => {
    const s = fetching()
    const file = await serve((_, response) =>
      response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    )
    expect(codeOf(await get(s, `http://site.test:${file}/`))).toBe('bad_redirect')
    let hops = 0
    const circle = await serve((_, response) => {
      hops++
      response.writeHead(302, { location: '/' }).end()
    })
    expect(codeOf(await get(s, `http://site.test:${circle}/`))).toBe('bad_redirect')
    expect(hops).toBe(6)
  })
})

describe('pages', () => {
  test('HTML becomes Markdown with a title and whole links', async () => {
    const html =
      '<html><head><title>A page</title><style>x{}</style></head><body><h1>Hi</h1><script>evil()</script><p>a <a href="/b">link</a></p></body></html>'
    const port = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html),
    )
    const text = textOf(await get(fetching(), `http://site.test:${port}/dir/`))
    expect(text).toBe(
      `Address: http://site.test:${port}/dir/\nTitle: A page\n\n# Hi\n\na [link](http://site.test:${port}/b)`,
    )
  })

  test('old charsets are read by what the page declares', () => {
    const html = '<meta charset="shift_jis"><p>日本語</p>'
    expect(pageText(iconv.encode(html, 'shift_jis'), 'text/html', 'http://x/')?.text).toContain('日本語')
    expect(pageText(iconv.encode('中文', 'gbk'), 'text/plain; charset=gbk', 'http://x/')?.text).toBe('中文')
  })

  test('nesting without end is survived', () => {
    const html = `${'<div>'.repeat(60_000)}deep${'</div>'.repeat(60_000)}`
    expect(pageText(Buffer.from(html), 'text/html', 'http://x/')?.text).toContain('deep')
  })

  test('a stream without end is cut at the limit, and that is said', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    })
    const s = fetching({ limits: { bytes: 20_000 } })
    const text = textOf(await get(s, `http://site.test:${port}/`))
    expect(text).toContain('only its first 20000 bytes were read')
    expect(text.length).toBeLessThan(21_000)
  })

  test('what unpacks to more than the limit is cut as well', async () => {
    const packed = gzipSync(Buffer.alloc(5_000_000, 'y'))
    const port = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(packed),
    )
    await get(fetching({ limits: { bytes: 10_000 } }), `http://site.test:${port}/`)
    const s = stages.at(-1)
    expect(s?.events('tool.completed')[0]?.structured).toMatchObject({ bytes: 10_000, truncated: true })
  })

  test('a server that never answers, or never ends, is given up', async () => {
    const s = fetching({ limits: { ms: 100 } })
    const silent = await serve(() => undefined)
    expect(codeOf(await get(s, `http://site.test:${silent}/`))).toBe('timeout')
    const slow = await serve((_, response) => void response.writeHead(200).write('a'))
    expect(codeOf(await get(s, `http://site.test:${slow}/`))).toBe('timeout')
  })

  test('errors of the server are errors, with what it said', async () => {
    const port = await serve((_, response) =>
      response.writeHead(503, { 'content-type': 'text/plain' }).end('come back later'),
    )
    const call = await get(fetching(), `http://site.test:${port}/`)
    expect(codeOf(call)).toBe('http_503')
    expect(call.outcome?.failure?.retryable).toBe(true)
    expect(textOf(call)).toContain('come back later')
  })

  test('images become image parts, other files are stored', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const port = await serve((request, response) =>
      request.url === '/p.png'
        ? response.writeHead(200, { 'content-type': 'image/png' }).end(png)
        : response
            .writeHead(200, { 'content-type': 'application/zip' })
            .end(Buffer.from('PK\u0003\u0004zip')),
    )
    const s = fetching()
    expect((await get(s, `http://site.test:${port}/p.png`)).outcome?.content).toMatchObject([
      { type: 'image', source: { media_type: 'image/png', data: png.toString('base64') } },
    ])
    const path = /stored as (.*)$/.exec(textOf(await get(s, `http://site.test:${port}/a.zip`)))?.[1] ?? ''
    expect(path).toMatch(/\.zip$/)
    expect(readFileSync(path, 'latin1')).toContain('PK')
  })

  test('the user is asked first, with a rule for the host', async () => {
    const port = await serve((_, response) => response.end('ok'))
    const s = fetching({}, 'default')
    const call = await get(s, `http://site.test:${port}/`)
    expect(call.outcome).toBeUndefined()
    expect(JSON.stringify(s.events('tool.approval_requested'))).toContain('WebFetch(domain:site.test)')
    s.approve(call)
    await s.settle()
    expect(textOf(s.state().calls[0])).toContain('ok')
  })
})

describe('search', () => {
  const body = async (request: IncomingMessage): Promise<string> => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    return text
  }
  function searching(options: WebSearchOptions): Stage {
    const stage = createStage({ tools: createWebSearchTools(options) })
    stages.push(stage)
    return stage
  }
  const results = [
    { title: '沈阳天气', url: 'https://weather.example/shenyang', content: '晴，20-25度', score: 0.9 },
    { title: 'Other', url: 'https://other.example/', content: 'x' },
    { title: 'script', url: 'javascript:alert(1)', content: 'x' },
    { nonsense: true },
  ]

  test('is offered only when an engine is configured, under its other names too', () => {
    expect(createWebSearchTools({})).toEqual([])
    const named = createWebSearchTools({ tavily: { api_key: 'k' }, aliases: ['tavily_search'] })
    expect(named.map(tool => tool.name)).toEqual(['WebSearch', 'tavily_search'])
  })

  test('Tavily is asked with the key and answers become a list', async () => {
    let seen: unknown
    const port = await serve(async (request, response) => {
      seen = { path: request.url, key: request.headers.authorization, ...JSON.parse(await body(request)) }
      response.end(JSON.stringify({ answer: '晴', results }))
    })
    const s = searching({ tavily: { api_key: 'tvly-1', base_url: `http://127.0.0.1:${port}` } })
    const call = await s.one('WebSearch', { query: '沈阳天气', max_results: 3 })
    expect(seen).toEqual({ path: '/search', key: 'Bearer tvly-1', query: '沈阳天气', max_results: 3 })
    expect(textOf(call)).toBe(
      '晴\n\n1. 沈阳天气\n   https://weather.example/shenyang\n   晴，20-25度\n\n2. Other\n   https://other.example/\n   x',
    )
    expect(s.events('tool.completed')[0]?.structured).toMatchObject({
      results: [{ url: 'https://weather.example/shenyang', content: '晴，20-25度' }, { title: 'Other' }],
    })
  })

  test('SearXNG is asked for JSON, and domains hold though it ignores them', async () => {
    let seen = ''
    const port = await serve((request, response) => {
      seen = request.url ?? ''
      response.end(JSON.stringify({ results }))
    })
    const s = searching({ searxng: { url: `http://127.0.0.1:${port}/searx` } })
    const only = await s.one('WebSearch', { query: 'a b', allowed_domains: ['other.example'] })
    expect(seen).toBe('/searx/search?q=a+b&format=json')
    expect(textOf(only)).toMatch(/^1\. Other/)
    const none = await s.one('WebSearch', { query: 'q', blocked_domains: ['example'] })
    expect(textOf(none)).toBe('No results found for: q')
    const both = await s.one('WebSearch', { query: 'q', allowed_domains: ['a'], blocked_domains: ['b'] })
    expect(codeOf(both)).toBe('precondition')
  })

  test.each([
    [429, 'slow down', 'http_429', true],
    [401, 'no', 'http_401', false],
    [200, 'not json', 'search_failed', true],
    [200, '{"results":5}', 'search_failed', false],
  ])('failures are reported: %i %s', async (status, text, code, retryable) => {
    const port = await serve((_, response) => response.writeHead(status).end(text))
    const s = searching({ tavily: { api_key: 'tvly-secret', base_url: `http://127.0.0.1:${port}` } })
    const call = await s.one('WebSearch', { query: 'q' })
    expect(codeOf(call)).toBe(code)
    expect(call.outcome?.failure?.retryable).toBe(retryable)
    expect(textOf(call)).not.toContain('tvly-secret')
  })

  test('an engine that cannot be reached is an error, never an empty list', async () => {
    const port = await serve(() => undefined)
    const server = servers.pop()
    await new Promise(resolve => server?.close(resolve))
    const s = searching({ searxng: { url: `http://127.0.0.1:${port}` } })
    expect(codeOf(await s.one('WebSearch', { query: 'q' }))).toBe('search_failed')
  })
})
