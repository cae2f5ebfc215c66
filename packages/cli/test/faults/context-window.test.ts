/**
 * A session that outgrows its model's window, through every wire and at both providers: it continues with a
 * summary, or, where that is off, reports a typed error and can be used again.
 */
import { loadScenario } from '@toolwire/demo'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { checkUsage } from './check-usage.ts'
import { expectedOf } from './expectations.ts'
import type { Got } from './http-form.ts'
import { openStage, type Stage } from './product.ts'
import { ends, readLog } from './read-log.ts'
import { WIRES, type WireName } from './wires.ts'

const TEXT = 'Noted.'
const SCRIPT = {
  name: 'window',
  turns: [
    { when: { text_contains: 'Sum it up.' }, emit: [{ type: 'text', text: 'The person likes pears.' }] },
    { emit: [{ type: 'text', text: TEXT }] },
  ],
}
const MODELS = { anthropic: 'claude-sonnet-5', openai: 'gpt-4o' } as const
const NAMES = Object.keys(WIRES) as WireName[]
/** Some 10,000 tokens each, by the count of the fake. */
const LONG = ['one', 'two', 'three', 'four', 'five', 'six'].map(word =>
  `${word} `.repeat(40_000 / (word.length + 1)),
)
const WINDOW = 'context-window;tokens=45000'

let stage: Stage
let strict: Stage
beforeAll(async () => {
  const upstream = { model: loadScenario(SCRIPT) }
  stage = await openStage({ upstream })
  strict = await openStage({ upstream, flags: { compaction: 'off' } })
})
afterEach(() => {
  for (const one of [stage, strict]) one.upstream.stand(undefined)
})
afterAll(async () => await Promise.all([stage.close(), strict.close()]))

/** What each answer says of its usage is what the log holds. */
async function talk(wire: WireName, url: string, model: string): Promise<readonly Got[]> {
  const got: Got[] = []
  for (const text of LONG) {
    const session = got[0]?.session
    got.push(await WIRES[wire]({ url, model, text, ...(session ? { session } : {}) }))
    const last = got.at(-1)
    if (last) await checkUsage(url, wire, last)
    if (last?.error !== undefined) break
  }
  return got
}

describe.for(Object.entries(MODELS))('at %s, a session that outgrows its model', ([, model]) => {
  test.for(NAMES)('continues through %s, and the client is notified', async wire => {
    stage.upstream.stand(WINDOW)
    const before = stage.upstream.requests.length
    const got = await talk(wire, stage.url, model)
    for (const one of got) expect(one, one.message).toMatchObject({ text: TEXT, isWhole: true })
    const sent = stage.upstream.requests.slice(before).map(one => JSON.stringify(one.body))
    expect(sent.some(body => body.includes('Sum it up.'))).toBe(true)
    expect(sent.at(-1)).toContain('The person likes pears.')
    expect(sent.at(-1)).toContain(LONG.at(-1)?.trim())
    const log = await readLog(stage.url, got[0]?.session ?? '')
    const summaries = log.filter(ev => ev.type === 'message.aborted' && ev.reason === 'compaction')
    expect(summaries.some(ev => ev.type === 'message.aborted' && (ev.usage?.input ?? 0) > 0)).toBe(true)
    // The whole answer of the thread wire has no place for it; its stream does.
    if (wire === 'thread, whole') return
    expect(got.flatMap(one => one.warnings).map(one => one.code)).toContain('history_compacted')
  })

  test.for(NAMES)(
    'fails through %s where compaction is off, and continues when there is room',
    async wire => {
      strict.upstream.stand(WINDOW)
      const got = await talk(wire, strict.url, model)
      const last = got.at(-1)
      expect(last, last?.message).toMatchObject(expectedOf(wire, { code: 'context_too_long', status: 400 }))
      expect(last?.message).toMatch(/45000/)
      strict.upstream.stand(undefined)
      const session = got[0]?.session ?? ''
      const again = await WIRES[wire]({ url: strict.url, model, text: 'and now?', session })
      expect(again).toMatchObject({ text: TEXT, isWhole: true, session })
    },
  )
})

describe.for([
  ['/v1/chat/completions', {}],
  ['/v1/messages', { max_tokens: 100 }],
] as const)('a client of %s that sends the whole history each time', ([path, more]) => {
  const said = LONG.slice(0, 5).flatMap(content => [
    { role: 'user', content },
    { role: 'assistant', content: TEXT },
  ])
  const ask = (messages: readonly object[], headers = {}): Promise<Response> =>
    fetch(stage.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: MODELS.anthropic, messages, ...more }),
    })
  const summaries = (): number =>
    stage.upstream.requests.filter(one => JSON.stringify(one.body).includes('Sum it up.')).length

  test('gets an answer and a warning, and the next request needs no other summary', async () => {
    stage.upstream.stand(WINDOW)
    const before = summaries()
    const first = await ask([...said, { role: 'user', content: 'and now?' }])
    expect(first.status).toBe(200)
    expect(await first.text()).toContain('history_compacted')
    const exchange = [
      { role: 'user', content: 'and now?' },
      { role: 'assistant', content: TEXT },
    ]
    const second = await ask([...said, ...exchange, { role: 'user', content: 'and then?' }])
    expect(second.status).toBe(200)
    expect(await second.text()).not.toContain('history_compacted')
    expect(summaries() - before).toBe(1)
  })

  test('gets the typed error instead when it takes no changes', async () => {
    stage.upstream.stand(WINDOW)
    const before = summaries()
    const strictly = { 'x-tool-repair': 'strict' }
    const refused = await ask([...said, { role: 'user', content: 'and now?' }], strictly)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toMatch(/prompt is too long/)
    expect(summaries()).toBe(before)
  })
})

test('what was replaced is still in the session, and the summary is a fact of its log', async () => {
  stage.upstream.stand(WINDOW)
  const [first] = await talk('chat', stage.url, MODELS.anthropic)
  const log = await readLog(stage.url, first?.session ?? '')
  const compacted = log.filter(ev => ev.type === 'history.compacted')
  expect(compacted[0]).toMatchObject({ summary: expect.stringContaining('The person likes pears.') })
  const told = await fetch(`${stage.url}/api/sessions/${first?.session}/messages`)
  const text = await told.text()
  for (const one of LONG) expect(text).toContain(one.trim())
  expect(ends(log).map(end => end.type)).toEqual(LONG.map(() => 'run.completed'))
})

test('a fork of a compacted session is compacted too', async () => {
  stage.upstream.stand(WINDOW)
  const [first] = await talk('chat', stage.url, MODELS.anthropic)
  const headers = { 'content-type': 'application/json' }
  const forked = await fetch(`${stage.url}/api/sessions/${first?.session}/fork`, {
    method: 'POST',
    headers,
    body: '{}',
  })
  const { id } = (await forked.json()) as { readonly id: string }
  const before = stage.upstream.requests.length
  const got = await WIRES.chat({ url: stage.url, model: MODELS.anthropic, text: 'and now?', session: id })
  expect(got).toMatchObject({ text: TEXT, isWhole: true })
  expect(JSON.stringify(stage.upstream.requests[before]?.body)).toContain('The person likes pears.')
})
