/** The host's side of MCP Apps, as a fold: who receives what, and when. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BridgeEffect,
  type BridgeInput,
  type BridgeState,
  openBridge,
  stepBridge,
} from '../src/tool-page/bridge.ts'
import { closeJson } from '../src/tool-page/close-json.ts'
import { filesIn } from '../src/tool-page/page-file.ts'

const HOST = {
  version: '9',
  capabilities: { serverTools: {} },
  context: { theme: 'light', locale: 'en', displayMode: 'inline' },
}

/** Feeds inputs one by one; what came of each is in `out`. */
function run(...inputs: readonly BridgeInput[]) {
  let state: BridgeState = openBridge(HOST)
  const out = inputs.map(input => {
    const [next, wishes] = stepBridge(state, input)
    state = next
    return wishes
  })
  return { state, out, last: out.at(-1) ?? [] }
}

const said = (fields: object): BridgeInput => ({ type: 'heard', data: { jsonrpc: '2.0', ...fields } })
const asks = (id: unknown, method: string, params?: unknown): BridgeInput => said({ id, method, params })
const hello = asks(1, 'ui/initialize', { protocolVersion: '2026-01-26', appInfo: {}, appCapabilities: {} })
const listens = said({ method: 'ui/notifications/initialized' })
const call = (facts: object): BridgeInput => ({ type: 'call', facts })
const messages = (wishes: readonly BridgeEffect[]): readonly object[] =>
  wishes.flatMap(wish => (wish.type === 'post' ? [wish.message] : []))
const errorOf = (wishes: readonly BridgeEffect[]) => messages(wishes).map(one => Object(one).error?.code)

describe('a page', () => {
  test('gets the host’s facts when it initializes', () => {
    expect(messages(run(hello).last)).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion: '2026-01-26',
          hostInfo: { name: 'toolwire', version: '9' },
          hostCapabilities: HOST.capabilities,
          hostContext: HOST.context,
        },
      },
    ])
  })

  test('hears of its call when it listens, not before: the arguments first, then the result, each once', () => {
    const input = { city: 'Bergen' }
    const result = { content: [] }
    const early = run(call({ arguments: input }), hello, call({ arguments: input, result }))
    expect(messages(early.out[0] ?? [])).toEqual([])
    expect(early.last).toEqual([])
    const told = [
      { jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: input } },
      { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: result },
    ]
    expect(messages(run(call({ arguments: input, result }), hello, listens).last)).toEqual(told)
    const late = run(
      hello,
      listens,
      call({ arguments: input }),
      call({ arguments: input, result }),
      call({ result }),
    )
    expect(late.out.slice(2).map(messages)).toEqual([[told[0]], [told[1]], []])
    expect(messages(run(hello, listens, listens).last)).toEqual([])
  })

  test('hears arguments while they come, each state once, and no more of them when they are whole', () => {
    const partial = { city: 'Ber' }
    const early = run(
      call({ partial }),
      hello,
      listens,
      call({ partial }),
      call({ partial: { city: 'Berg' } }),
    )
    const told = (city: string) => [
      { jsonrpc: '2.0', method: 'ui/notifications/tool-input-partial', params: { arguments: { city } } },
    ]
    expect(early.out.slice(2).map(messages)).toEqual([told('Ber'), [], told('Berg')])
    const whole = run(hello, listens, call({ partial, arguments: { city: 'Bergen' } }), call({ partial: {} }))
    expect(whole.out.slice(2).map(messages)).toMatchObject([[{ method: 'ui/notifications/tool-input' }], []])
    const ended = run(call({ partial }), call({ cancelled: 'cancelled' }), hello, listens)
    expect(messages(ended.last)).toMatchObject([{ method: 'ui/notifications/tool-cancelled' }])
  })

  test('hears that its call was cancelled, and of no result then', () => {
    const { out } = run(hello, listens, call({ cancelled: 'denied' }), call({ result: {} }))
    expect(messages(out[2] ?? [])).toMatchObject([
      { method: 'ui/notifications/tool-cancelled', params: { reason: 'denied' } },
    ])
    expect(out[3]).toEqual([])
  })

  test('hears what changes around it, and nothing else', () => {
    const change = { theme: 'dark', locale: 'en' }
    const { out } = run(hello, listens, { type: 'context', change }, { type: 'context', change })
    expect(messages(out[2] ?? [])).toEqual([
      { jsonrpc: '2.0', method: 'ui/notifications/host-context-changed', params: { theme: 'dark' } },
    ])
    expect(out[3]).toEqual([])
    // Before its initialization, the change is part of the host's facts.
    const greeted = messages(run({ type: 'context', change }, hello).last)
    expect(greeted).toMatchObject([{ result: { hostContext: { theme: 'dark' } } }])
  })

  test.each([
    [
      'tools/call',
      { name: 'save', arguments: { a: 1 } },
      { type: 'call', name: 'save', arguments: { a: 1 } },
    ],
    ['tools/call', { name: 'save' }, { type: 'call', name: 'save', arguments: {} }],
    ['resources/read', { uri: 'desk://data' }, { type: 'read', uri: 'desk://data' }],
    ['ui/open-link', { url: 'https://a.example' }, { type: 'link', url: 'https://a.example' }],
    [
      'ui/message',
      { role: 'user', content: [{ type: 'text', text: 'hi' }, { type: 'image' }] },
      { type: 'say', text: 'hi' },
    ],
    [
      'ui/update-model-context',
      { content: [{ type: 'text', text: 'Oslo is chosen' }], structuredContent: { city: 'Oslo' } },
      { type: 'context', text: 'Oslo is chosen\n{"city":"Oslo"}' },
    ],
    ['ui/update-model-context', {}, { type: 'context', text: '' }],
    [
      'ui/download-file',
      {
        contents: [
          { type: 'resource', resource: { uri: 'file:///a/week.csv', mimeType: 'text/csv', text: 'a,b' } },
          { type: 'resource', resource: { uri: 'desk://x', blob: 'AAEC' } },
          { type: 'resource_link', uri: 'desk://data', name: 'data.txt' },
        ],
      },
      {
        type: 'save',
        files: [
          { name: 'week.csv', body: { type: 'text', text: 'a,b' } },
          { name: 'x', body: { type: 'blob', blob: 'AAEC' } },
          { name: 'data.txt', body: { type: 'link', uri: 'desk://data' } },
        ],
      },
    ],
  ])('has a wish by %s and is answered once', (method, params, wish) => {
    const answer: BridgeInput = { type: 'answer', id: 'x', result: { done: true } }
    const { out } = run(hello, listens, asks('x', method, params), answer, answer)
    expect(out[2]).toEqual([{ id: 'x', ...wish }])
    expect(messages(out[3] ?? [])).toEqual([{ jsonrpc: '2.0', id: 'x', result: { done: true } }])
    expect(out[4]).toEqual([])
    const refused = run(hello, listens, asks(2, method, params), { type: 'refuse', id: 2, message: 'no' })
    expect(messages(refused.last)).toEqual([
      { jsonrpc: '2.0', id: 2, error: { code: -32000, message: 'no' } },
    ])
  })

  test('may wish for nothing before it listens, and for no more than a few things at once', () => {
    expect(errorOf(run(asks(1, 'tools/call', { name: 'a' })).last)).toEqual([-32000])
    expect(errorOf(run(hello, asks(2, 'tools/call', { name: 'a' })).last)).toEqual([-32000])
    const many = Array.from({ length: 9 }, (_, i) => asks(`r${i}`, 'tools/call', { name: 'a' }))
    const { out } = run(
      hello,
      listens,
      ...many,
      { type: 'answer', id: 'r0', result: {} },
      asks('more', 'tools/call', { name: 'a' }),
    )
    expect(out.slice(2, 10).flat()).toHaveLength(8)
    expect(errorOf(out[10] ?? [])).toEqual([-32000])
    expect(out.at(-1)).toMatchObject([{ type: 'call', id: 'more' }])
    // The same name again while the first waits says nothing.
    expect(
      run(hello, listens, asks(1, 'tools/call', { name: 'a' }), asks(1, 'tools/call', { name: 'b' })).last,
    ).toEqual([])
  })

  test('gets errors for malformed or unknown messages, and an answer to a ping', () => {
    expect(errorOf(run(hello, listens, asks(1, 'tools/call', { name: 5 })).last)).toEqual([-32602])
    expect(errorOf(run(hello, listens, asks(1, 'tools/call', { name: 'a', arguments: [] })).last)).toEqual([
      -32602,
    ])
    expect(
      errorOf(run(hello, listens, asks(1, 'ui/message', { content: [{ type: 'image' }] })).last),
    ).toEqual([-32602])
    const bad = { content: 5, structuredContent: [], contents: [] }
    for (const method of ['ui/update-model-context', 'ui/download-file'])
      expect(errorOf(run(hello, listens, asks(1, method, bad)).last)).toEqual([-32602])
    for (const method of ['sampling/createMessage', 'tools/list'])
      expect(errorOf(run(hello, listens, asks(1, method, {})).last)).toEqual([-32601])
    expect(messages(run(asks(1, 'ping')).last)).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
    expect(
      messages(run(hello, asks(2, 'ui/request-display-mode', { mode: 'fullscreen' })).last),
    ).toMatchObject([{ result: { mode: 'inline' } }])
  })

  test('reports its size; invalid sizes are ignored', () => {
    const size = (params: object) => run(said({ method: 'ui/notifications/size-changed', params })).last
    expect(size({ width: 10, height: 300 })).toEqual([{ type: 'size', height: 300 }])
    for (const height of ['300', Number.NaN, Number.POSITIVE_INFINITY, -1, undefined])
      expect(size({ height })).toEqual([])
  })

  test('is asked to close, may confirm, and is ignored in between and afterwards', () => {
    const leave: BridgeInput = { type: 'leave' }
    const gone = said({ id: 'teardown', result: {} })
    const open = asks(5, 'tools/call', { name: 'a' })
    const late: readonly BridgeInput[] = [
      asks(6, 'tools/call', { name: 'a' }),
      { type: 'answer', id: 5, result: {} },
      hello,
      call({ result: {} }),
    ]
    const { out, state } = run(hello, listens, open, leave, ...late, leave, gone, ...late, gone, {
      type: 'lost',
    })
    expect(messages(out[3] ?? [])).toMatchObject([{ id: 'teardown', method: 'ui/resource-teardown' }])
    expect(out.slice(4, 9).flat()).toEqual([])
    expect(out[9]).toEqual([{ type: 'close' }])
    expect(out.slice(10).flat()).toEqual([])
    expect(state.phase).toBe('over')
    // One that never said anything is not waited for; one that does not answer is given up.
    expect(run(leave).last).toEqual([{ type: 'close' }])
    expect(run(hello, leave, { type: 'lost' }).last).toEqual([{ type: 'close' }])
    // It may ask for it itself. An answer to no question is ignored.
    const wants = said({ method: 'ui/notifications/request-teardown' })
    expect(messages(run(hello, listens, wants).last)).toMatchObject([{ method: 'ui/resource-teardown' }])
    expect(run(hello, listens, gone).last).toEqual([])
  })

  test('may say anything in any order: every request of one name is answered at most once at a time', () => {
    const id = fc.constantFrom<unknown>(1, 2, 'a', null, {}, undefined)
    const method = fc.constantFrom<unknown>(
      'ui/initialize',
      'ui/notifications/initialized',
      'tools/call',
      'ui/message',
      'ping',
      'x',
      5,
    )
    const params = fc.oneof(fc.constantFrom({ name: 'a' }, { uri: 'b' }), fc.jsonValue())
    const heard = fc
      .oneof(fc.record({ jsonrpc: fc.constant('2.0'), id, method, params }), fc.jsonValue())
      .map((data): BridgeInput => ({ type: 'heard', data }))
    const answered = fc
      .constantFrom<string | number>(1, 2, 'a')
      .map((one): BridgeInput => ({ type: 'answer', id: one, result: {} }))
    fc.assert(
      fc.property(fc.array(fc.oneof(heard, answered), { maxLength: 40 }), inputs => {
        const waiting = new Set<unknown>()
        let state = openBridge(HOST)
        for (const input of inputs) {
          const [next, wishes] = stepBridge(state, input)
          state = next
          for (const wish of wishes) {
            if ('id' in wish) {
              expect(waiting.has(wish.id)).toBe(false)
              waiting.add(wish.id)
            }
            if (wish.type === 'post' && input.type === 'answer') expect(waiting.delete(input.id)).toBe(true)
          }
          expect(state.open).toEqual(waiting)
        }
      }),
    )
  })
})

test.each([
  ['../../etc/passwd', 'passwd'],
  ['https://a.example/%2e%2e%2fweek.csv?x=/y#z', 'week.csv'],
  ['a\\b\\c.txt', 'c.txt'],
  ['.bashrc', 'bashrc'],
  ['report\u202efdp.exe', 'report-fdp.exe'],
  ['///', 'file'],
  ['%E0%A4%A', '-E0-A4-A'],
])('a file that is to be saved as %s is offered as %s', (uri, name) => {
  expect(filesIn([{ type: 'resource', resource: { uri, text: '' } }])).toMatchObject([{ name }])
})

test.each([
  [undefined],
  [[]],
  [[{ type: 'text', text: 'a' }]],
  [[{ type: 'resource', resource: { uri: 'a' } }]],
  [[{ type: 'resource', resource: { uri: 'a', text: 'a' } }, 'x']],
  [Array.from({ length: 11 }, () => ({ type: 'resource', resource: { uri: 'a', text: 'a' } }))],
])('an invalid list of files is ignored (%j)', contents => {
  expect(filesIn(contents)).toBeUndefined()
})

/** Whether one value could become the other when more of it comes. */
function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string' && typeof whole === 'string') return whole.startsWith(part)
  if (Array.isArray(part) && Array.isArray(whole))
    return part.length <= whole.length && part.every((one, i) => isBeginning(one, whole[i]))
  if (typeof part === 'object' && part !== null && typeof whole === 'object' && whole !== null)
    return Object.entries(part).every(
      ([key, value]) => Object.hasOwn(whole, key) && isBeginning(value, Object(whole)[key]),
    )
  return Object.is(part, whole)
}

test('arguments that are cut anywhere are sent as far as they have come, and never as something else', () => {
  const arbitrary = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(arbitrary, fc.double({ min: 0, max: 1, noNaN: true }), (input, share) => {
      const whole = JSON.parse(JSON.stringify(input)) as object
      const text = JSON.stringify(whole)
      const told = closeJson(text.slice(0, Math.floor(share * text.length)))
      expect(told === undefined || isBeginning(told, whole)).toBe(true)
      expect(closeJson(text)).toEqual(whole)
    }),
  )
})

test.each([
  ['{', {}],
  ['{"ci', {}],
  ['{"city":"Ber', { city: 'Ber' }],
  ['{"a":"x\\', { a: 'x' }],
  ['{"a":"x\\u00', { a: 'x' }],
  ['{"a":1,"b":[1,{"c":"d', { a: 1, b: [1, { c: 'd' }] }],
  ['{"a":"x\\", b', { a: 'x", b' }],
  ['{"a":tr', {}],
  ['{"a":12', {}],
  ['', undefined],
  ['[1', undefined],
])('of %s so much is known: %j', (text, known) => {
  expect(closeJson(text)).toEqual(known)
})
