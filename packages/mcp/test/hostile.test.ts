import { afterEach, describe, expect, test } from 'vitest'
import { codeOf, textOf } from '../../tools/test/stage.ts'
import { createMcpTool } from '../src/mcp-tool.ts'
import { parseMcpServers } from '../src/server-config.ts'
import { toolName, uniqueName } from '../src/tool-name.ts'
import { toOutcome } from '../src/tool-result.ts'
import { fixedConnection, ONE_TOOL } from './fixed-connection.ts'
import { closeAll, isReady, names, program, stageOf, start, until } from './stage-mcp.ts'

afterEach(closeAll)

async function running(way: string, more: object = {}) {
  const mcp = start({ bad: { ...program('hostile-server.ts', way), ...more } })
  await until(mcp, isReady(mcp))
  return { mcp, stage: stageOf(mcp) }
}

describe('a hostile server', () => {
  test('with a giant list is taken as far as the limit', async () => {
    const { mcp } = await running('giant-list')
    expect(mcp.status()).toMatchObject([{ tools: 500, skipped: 4500 }])
  })

  test('whose pages go in a circle, or never end, is cut', async () => {
    const circle = await running('circle')
    expect(circle.mcp.status()).toMatchObject([{ tools: 2 }])
    const endless = await running('endless-pages')
    expect(endless.mcp.status()).toMatchObject([{ tools: 64 }])
  })

  test('with entries of wrong types loses those entries and no others', async () => {
    const { mcp } = await running('wrong-types')
    expect(names(mcp)).toEqual(['mcp__bad__good', 'mcp__bad__odd'])
    expect(mcp.status()).toMatchObject([{ skipped: 11 }])
  })

  test('without a list at all is never ready and says why', async () => {
    const mcp = start({ bad: program('hostile-server.ts', 'no-list') })
    await until(mcp, () => mcp.status()[0]?.error !== undefined)
    expect(mcp.tools()).toEqual([])
    expect(mcp.status()[0]?.error).toContain('tools/list')
  })

  test('that writes other things than messages is heard all the same', async () => {
    const { mcp } = await running('noise')
    expect(names(mcp)).toEqual(['mcp__bad__call'])
  })

  test('keeps the result of a call that ran when a part of it cannot be read', async () => {
    const { stage } = await running('wrong-result')
    const bare = await stage.one('mcp__bad__call', {})
    expect([codeOf(bare), textOf(bare)]).toEqual([undefined, 'a text'])
    const odd = await running('odd-content')
    const call = await odd.stage.one('mcp__bad__call', {})
    expect(codeOf(call)).toBeUndefined()
    expect(textOf(call)).toContain('[Content of the type "image", which Toolwire cannot read: {')
  })

  test('keeps the known parts of a result and names the type of an unknown one', async () => {
    const { stage } = await running('unknown-content')
    const call = await stage.one('mcp__bad__call', {})
    expect(codeOf(call)).toBeUndefined()
    expect(textOf(call)?.split('\n')).toEqual([
      'before',
      '[Content of the type "video", which Toolwire cannot read: {"type":"video","url":"https://a.example/film"}]',
      '[Content of the type "unknown", which Toolwire cannot read: null]',
      'after',
    ])
  })

  test('that says no is quoted', async () => {
    const { stage } = await running('error')
    const call = await stage.one('mcp__bad__call', {})
    expect(codeOf(call)).toBe('mcp_error')
    expect(textOf(call)).toContain('the server says no')
  })

  test('that breaks its own output schema is kept and flagged', async () => {
    const { stage } = await running('schema-breach')
    expect(textOf(await stage.one('mcp__bad__call', {}))).toContain('kept')
    expect(stage.events('tool.completed')[0]?.structured).toMatchObject({
      value: { n: 'one' },
      output_invalid: [expect.stringContaining('n')],
    })
  })

  test('that never stops writing one line is cut off', async () => {
    const { stage } = await running('endless-line')
    expect(codeOf(await stage.one('mcp__bad__call', {}))).toBe('mcp_error')
  })

  test('that floods with progress cannot flood the log', async () => {
    const { stage } = await running('progress-flood')
    expect(textOf(await stage.one('mcp__bad__call', {}))).toBe('flooded')
    expect(stage.events('tool.progress').length).toBeLessThan(200)
  })

  test('that reports progress all the time is heard now and then', async () => {
    const { mcp } = await running('noise')
    const chatty = fixedConnection('chatty', async ({ voice: { onProgress } }) => {
      for (let progress = 0; progress < 500; progress++) {
        onProgress({ progress })
        await new Promise(resolve => setImmediate(resolve))
      }
      return { content: [] }
    })
    const other = stageOf({ ...mcp, tools: () => [createMcpTool('chatty', ONE_TOOL, chatty)] })
    expect(textOf(await other.one('chatty', {}))).toBe('(no output)')
    expect(other.events('tool.progress').length).toBeLessThan(100)
  })

  test('with a list deeper than any stack is never ready and says why', async () => {
    const mcp = start({ bad: program('hostile-server.ts', 'deep-schema') })
    await until(mcp, () => mcp.status()[0]?.error !== undefined)
    expect(mcp.status()[0]?.error).toContain('nested')
  })

  test.each(['wide-result', 'wide-meta'])(
    'whose result has more values than a program can read at once gives an error: %s',
    async way => {
      const { mcp, stage } = await running(way)
      const call = await stage.one('mcp__bad__call', {})
      expect(codeOf(call)).toBe('mcp_error')
      expect(mcp.status()[0]?.error).toContain('more than 30000 values')
    },
  )

  test('whose result has more parts than a model reads loses the last ones, and that is said', async () => {
    const { stage } = await running('many-parts')
    const call = await stage.one('mcp__bad__call', {})
    expect(codeOf(call)).toBeUndefined()
    expect(textOf(call)).toMatch(/^0\n\[Content of the type "video"/)
    expect(textOf(call)).toContain('\n999\n200 further parts are left out.')
  })

  test('whose result is deeper than any stack gives an error, and is started again', async () => {
    const { mcp, stage } = await running('deep-result')
    const call = await stage.one('mcp__bad__call', {})
    expect(codeOf(call)).toBe('mcp_error')
    expect(textOf(call)).toContain('nested')
    await until(mcp, isReady(mcp))
  })

  test('that says a hundred times that its tools are others is listed once more', async () => {
    const { mcp, stage } = await running('storm')
    expect(textOf(await stage.one('mcp__bad__call', {}))).toBe('listed 1 times')
    await new Promise<void>(resolve => {
      const end = mcp.subscribe(() => {
        end()
        resolve()
      })
    })
    expect(textOf(await stage.one('mcp__bad__call', {}))).toBe('listed 2 times')
  })

  test('that asks to open something that is no page is refused', async () => {
    const { stage } = await running('odd-question')
    const call = await stage.one('mcp__bad__call', {})
    expect(call.approval).toBeUndefined()
    expect(textOf(call)).toContain('cannot be shown')
  })

  test('that asks again and again pauses each time, and is given up after the twentieth', async () => {
    const { stage } = await running('asks-for-ever')
    await stage.say([{ name: 'mcp__bad__call', input: {} }])
    for (let n = 1; n <= 20; n++) {
      expect(await stage.settle()).toBe('pause')
      const call = stage.state().calls[0]
      expect(call?.approval?.message).toBe(`again ${n}`)
      if (call) stage.approve(call)
    }
    await stage.settle()
    expect(textOf(stage.state().calls[0])).toContain('asked more than 20 times')
  })

  test('that starts and lists nothing is given up in its time', async () => {
    const mcp = start({ bad: { ...program('hostile-server.ts', 'silent'), startup_timeout_ms: 200 } })
    await until(mcp, () => mcp.status()[0]?.error !== undefined)
    expect(mcp.status()[0]?.error).toMatch(/timed out/i)
  })
})

describe('names', () => {
  test('hold only what every provider accepts', () => {
    expect(toolName('my server', 'a.b/c d')).toBe('mcp__my_server__a_b_c_d')
    const long = toolName('server', 'x'.repeat(100))
    expect(long).toMatch(/^mcp__server__x+_[0-9a-f]{8}$/)
    expect(long).toHaveLength(64)
    expect(toolName('server', `${'x'.repeat(100)}y`)).not.toBe(long)
  })

  test('that would collide are made unique', () => {
    const taken = new Set<string>()
    const given = ['a.b', 'a_b', 'a b'].map(tool => uniqueName(toolName('s', tool), taken))
    expect(given).toEqual(['mcp__s__a_b', 'mcp__s__a_b_2', 'mcp__s__a_b_3'])
  })
})

describe('results', () => {
  test('hold no image that no provider would accept', () => {
    const picture = (data: string) => ({ type: 'image' as const, mimeType: 'image/png', data })
    const outcome = toOutcome({ content: [picture('<no>'), picture('A'.repeat(6_000_000)), picture('AAAA')] })
    expect(outcome.output_text).toBe(
      '[image/png: the data is damaged]\n[image/png, 4500000 bytes: not shown]\n[image/png, 3 bytes]',
    )
    expect(outcome.content).toHaveLength(1)
  })

  test('hold sound, and embedded files by what they are', () => {
    const uri = 'file:///a'
    const outcome = toOutcome({
      content: [
        { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
        { type: 'resource', resource: { uri, mimeType: 'image/png', blob: 'AAAA' } },
        { type: 'resource', resource: { uri, blob: 'AAAA' } },
        { type: 'resource', resource: { uri, text: 'words' } },
      ],
    })
    expect(outcome.output_text.split('\n')).toEqual([
      '[audio/wav, 3 bytes]',
      '[file:///a] [image/png, 3 bytes]',
      '[file:///a: application/octet-stream, 3 bytes]',
      '[file:///a]',
      'words',
    ])
    expect(outcome.content).toMatchObject([
      { type: 'audio', source: { media_type: 'audio/wav', data: 'AAAA' } },
      { type: 'image', source: { media_type: 'image/png', data: 'AAAA' } },
    ])
  })

  const said = (value: unknown) => [{ type: 'text' as const, text: JSON.stringify(value) }]

  test('hold base64 with line ends, and none that is mostly blanks', () => {
    const of = (data: string) => toOutcome({ content: [{ type: 'image', mimeType: 'image/png', data }] })
    expect(of(`${'A'.repeat(76)}\r\n`.repeat(4)).content).toMatchObject([
      { source: { data: 'A'.repeat(4 * 76) } },
    ])
    expect(of('A '.repeat(100)).output_text).toBe('[image/png: the data is damaged]')
  })

  test('do not repeat structured content that the text holds already', () => {
    const outcome = toOutcome({ content: said({ a: [1] }), structuredContent: { a: [1] } })
    expect(outcome).toEqual({ output_text: '{"a":[1]}', structured: { a: [1] } })
  })

  test('with an output schema and no data are flagged', () => {
    const outcome = toOutcome({ content: said(1) }, { type: 'object' })
    expect(outcome.structured).toMatchObject({ output_invalid: [expect.stringContaining('gave none')] })
  })
})

describe('configuration', () => {
  const variable = (name: string): string => `$\{${name}}`

  test('is what other hosts have, with variables', () => {
    const { servers, problems } = parseMcpServers(
      {
        local: {
          command: 'npx',
          args: ['-y', variable('PACKAGE:-server')],
          env: { KEY: variable('KEY') },
          autoApprove: [],
        },
        remote: {
          type: 'streamable-http',
          url: 'https://example.com/mcp',
          headers: { Authorization: `Bearer ${variable('KEY')}` },
        },
        old: { type: 'sse', url: 'https://example.com/sse' },
        off: { command: 'x', disabled: true },
      },
      { KEY: 'k1' },
    )
    expect(problems).toEqual([])
    expect(servers).toEqual({
      local: { type: 'stdio', command: 'npx', args: ['-y', 'server'], env: { KEY: 'k1' } },
      remote: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer k1' } },
      old: { type: 'sse', url: 'https://example.com/sse', headers: {} },
    })
  })

  test('with a broken entry keeps the others and says what is wrong', () => {
    const { servers, problems } = parseMcpServers(
      {
        good: { command: 'x' },
        none: {},
        odd: 5,
        url: { url: 'ftp://x' },
        unset: { command: variable('NOPE') },
      },
      {},
    )
    expect(Object.keys(servers)).toEqual(['good'])
    expect(problems).toHaveLength(4)
    expect(problems.join('\n')).toContain('NOPE')
    expect(parseMcpServers([], {}).problems).toHaveLength(1)
  })
})
