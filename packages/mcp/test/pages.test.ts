/** Pages that servers show beside their tools (MCP Apps), with a real server over stdio. */
import { afterEach, describe, expect, test } from 'vitest'
import { codeOf, textOf } from '../../tools/test/stage.ts'
import { createServerPages, type ToolPlace } from '../src/server-pages.ts'
import { uiOf } from '../src/tool-ui.ts'
import { closeAll, isReady, program, stageOf, start, until } from './stage-mcp.ts'

afterEach(closeAll)

async function opened(era: 'modern' | 'legacy', more: Parameters<typeof start>[1] = {}) {
  const mcp = start({ desk: program('page-server.ts', era), other: program('stdio-server.ts', era) }, more)
  await until(mcp, isReady(mcp))
  return { mcp, stage: stageOf(mcp) }
}
const { signal } = new AbortController()

describe.each(['modern', 'legacy'] as const)('pages of a server of the %s era', era => {
  test('are read with what they wish for, and only beside the tools that name them', async () => {
    const { mcp } = await opened(era)
    expect(await mcp.pages.read('mcp__desk__weather', signal)).toEqual({
      server: 'desk',
      uri: 'ui://desk/weather',
      html: '<!doctype html><p>weather</p>',
      tool: {
        name: 'weather',
        title: 'Weather',
        description: 'Tells the weather',
        input_schema: expect.objectContaining({ type: 'object', required: ['city'] }),
      },
      connect: ['https://api.weather.example'],
      load: ['https://cdn.weather.example'],
      border: true,
    })
    expect(await mcp.pages.read('mcp__desk__earlier', signal)).toMatchObject({ uri: 'ui://desk/weather' })
    // Given as bytes, and its wishes in the list of resources alone.
    expect(await mcp.pages.read('mcp__desk__hostile', signal)).toMatchObject({
      html: '<p>hostile é</p>',
      connect: ['https://listed.example'],
      load: [],
    })
    for (const name of ['mcp__desk__save', 'mcp__desk__remote', 'mcp__other__echo', 'Bash'])
      expect(await mcp.pages.read(name, signal)).toBeUndefined()
    await expect(mcp.pages.read('mcp__desk__plain', signal)).rejects.toThrow('no page')
  })

  test('are asked for by a client that says that it shows them', async () => {
    const { stage } = await opened(era)
    expect(textOf(await stage.one('mcp__desk__capable', {}))).toContain(
      '"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}',
    )
  })

  test('call and read their own server alone, and of its tools those for pages', async () => {
    const { mcp } = await opened(era)
    const { callable, resource } = mcp.pages
    expect(callable('mcp__desk__weather', 'save')).toBe('mcp__desk__save')
    expect(callable('mcp__desk__weather', 'refresh')).toBe('mcp__desk__refresh')
    for (const name of ['think', 'echo', 'mcp__desk__save', 'mcp__other__echo', 'Bash'])
      expect(callable('mcp__desk__weather', name)).toBeUndefined()
    // A tool without a page is no way in.
    expect(callable('mcp__desk__save', 'save')).toBeUndefined()
    expect(await resource('mcp__desk__weather', 'desk://data', signal)).toMatchObject({
      contents: [{ uri: 'desk://data', text: 'kept by the desk' }],
    })
    expect(await resource('mcp__other__echo', 'test://vault', signal)).toBeUndefined()
    await expect(resource('mcp__desk__weather', 'test://vault', signal)).rejects.toThrow()
  })

  test('get results as the server gave them, and their calls name the page', async () => {
    const { stage } = await opened(era)
    const call = await stage.one('mcp__desk__weather', { city: 'Bergen' })
    expect(textOf(call)).toContain('rain in Bergen\nall day')
    expect(textOf(call)).not.toContain('drops')
    expect(stage.events('tool.ready').at(-1)?.view).toEqual({
      title: 'Weather',
      kind: 'mcp',
      body: { server: 'desk', tool: 'weather', ui: 'ui://desk/weather' },
    })
    expect(stage.events('tool.completed').at(-1)?.view?.body).toMatchObject({
      ui: 'ui://desk/weather',
      result: {
        content: [
          { type: 'text', text: 'rain in Bergen' },
          { type: 'text', text: 'all day' },
        ],
        structuredContent: { degrees: 7 },
        _meta: { for_page: 'drops' },
      },
    })
    // A server without pages costs nothing more.
    await stage.one('mcp__other__echo', { text: 'x' })
    expect(stage.events('tool.completed').at(-1)?.view).toBeUndefined()
  })
})

test('a tool for pages alone is sent to no model, found by none, and cannot be called by one', async () => {
  const { mcp, stage } = await opened('modern', { defer_above: 3 })
  const told = stage.system().specs(stage.scope)
  expect(told.map(spec => spec.name)).not.toContain('mcp__desk__refresh')
  expect(codeOf(await stage.one('mcp__desk__refresh', {}))).toBe('unknown_tool')
  const found = await stage.one('ToolSearch', { query: 'select:mcp__desk__refresh,mcp__desk__think' })
  expect(textOf(found)).toContain('mcp__desk__think')
  expect(textOf(found)).not.toContain('refresh')
  expect(mcp.tools().map(tool => tool.name)).toContain('mcp__desk__refresh')
})

test('a tool’s page settings apply only as far as they are valid', () => {
  expect(uiOf(undefined)).toBeUndefined()
  expect(uiOf({ ui: 'x' })).toBeUndefined()
  expect(uiOf({ ui: { resourceUri: 'file:///etc/passwd' } })).toBeUndefined()
  expect(uiOf({ ui: { visibility: [] } })).toEqual({ for_model: false, for_page: false })
  expect(uiOf({ ui: { resourceUri: 'ui://a', visibility: 'app' } })).toEqual({
    uri: 'ui://a',
    for_model: true,
    for_page: true,
  })
  expect(uiOf({ ui: { resourceUri: 'ui://a' }, 'ui/resourceUri': 'ui://b' })).toMatchObject({ uri: 'ui://a' })
})

/** The page beside a tool of a server that answers like this. */
function pageOf(html: string, csp: object) {
  const content = { uri: 'ui://a', mimeType: 'text/html;profile=mcp-app', text: html, _meta: { ui: { csp } } }
  const client = { readResource: async () => ({ contents: [content] }) }
  const connection = { name: 'a', use: (work: (one: object) => unknown) => work(client) }
  const tool = { name: 't', description: '', input_schema: {}, ui: { uri: 'ui://a' } }
  const place = { connection, tool } as unknown as ToolPlace
  return createServerPages(() => new Map([['t', place]])).read('t', signal)
}

test('a page is refused beyond five million characters, and of its wishes twenty are heard', async () => {
  const most = 5 * 1024 * 1024
  expect((await pageOf('x'.repeat(most), {}))?.html).toHaveLength(most)
  await expect(pageOf('x'.repeat(most + 1), {})).rejects.toThrow('longer than')
  const many = Array.from({ length: 30 }, (_, i) => `https://${i}.example`)
  const page = await pageOf('', { connectDomains: many, resourceDomains: [...many, 'x'.repeat(301)] })
  expect(page?.connect).toEqual(many.slice(0, 20))
  // One that is no origin at all spoils the list that it is in: a mistake allows less, never more.
  expect(page?.load).toEqual([])
})
