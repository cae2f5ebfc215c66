/** kill -9 between the request and its answer, then the same request again under its Idempotency-Key. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chatTool } from './gateway-server.ts'
import { countRuns, type KillPoint, openSpawnedGateway, type SpawnedGateway } from './spawn-gateway.ts'

let gateway: SpawnedGateway
beforeEach(async () => {
  gateway = await openSpawnedGateway()
})
afterEach(() => gateway.close())

const start = (point: KillPoint): Promise<string> => gateway.start(point)

const ask = (url: string, body: object, key?: string): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body: JSON.stringify({ model: 'demo', ...body }),
  })

interface Whole {
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: messages of any shape are sent back as they came
  readonly message: any
  readonly session: string
}

async function whole(response: Response): Promise<Whole> {
  const body = await response.json()
  expect(response.status, JSON.stringify(body)).toBe(200)
  const session = response.headers.get('x-session-id') ?? ''
  return { id: body.id, message: body.choices[0].message, session }
}

/** The request dies with its server; the next server gets it again, twice. */
async function askThrough(point: KillPoint, body: object) {
  const first = await start(point)
  await expect(ask(first, body, 'k')).rejects.toThrow()
  await gateway.died()
  const second = await start('never')
  const again = await whole(await ask(second, body, 'k'))
  const later = await whole(await ask(second, body, 'k'))
  return { again, later, url: second }
}

const question = { messages: [{ role: 'user', content: 'say hello' }] }

const slowly = { messages: [{ role: 'user', content: 'slow hello' }] }

describe('a server that is killed in the middle of an answer', () => {
  test('a retry gives the response of its run, in the same session and without the aborted part', async () => {
    const { again, later, url } = await askThrough('half', slowly)
    expect(again.message.content).toBe('half hello')
    expect(later).toEqual(again)
    expect(await countRuns(url)).toEqual([1])
  })

  test('a repeated stream is whole too, once the run has been resumed', async () => {
    const body = { ...slowly, stream: true }
    const first = await start('half')
    await expect(ask(first, body, 'k').then(response => response.text())).rejects.toThrow()
    await gateway.died()
    const second = await start('never')
    let text = ''
    while (!text.includes('[DONE]')) {
      text = await (await ask(second, body, 'k')).text()
      expect(text).toMatch(/\[DONE\]|started again; repeat the request/)
    }
    expect([...text.matchAll(/"content":"([^"]*)"/g)].map(found => found[1]).join('')).toBe('half hello')
    expect(await countRuns(second)).toEqual([1])
  })
})

test('a key that a killed server had taken is free for the next one, which has the data to itself', async () => {
  const { again, later, url } = await askThrough('planned', question)
  expect(again.message.content).toBe('hello')
  expect(later).toEqual(again)
  expect(await countRuns(url)).toEqual([1])
})

describe('a server that is killed when a response has started unrecorded', () => {
  test('a new conversation gets one session, one run and one answer', async () => {
    const { again, later, url } = await askThrough('begun', question)
    expect(again.message.content).toBe('hello')
    expect(later).toEqual(again)
    expect(await countRuns(url)).toEqual([1])
  })

  test('a further message is said once, in its session', async () => {
    const before = await start('never')
    const first = await whole(await ask(before, question))
    await gateway.kill()
    const more = { messages: [...question.messages, first.message, { role: 'user', content: 'say more' }] }
    const { again, later, url } = await askThrough('begun', more)
    expect(again).toMatchObject({ session: first.session, message: { content: 'more' } })
    expect(later).toEqual(again)
    expect(await countRuns(url)).toEqual([2])
  })

  test.each(['planned', 'begun'] as const)(
    'results that are %s go into the session that waits for them, once',
    async point => {
      const tools = [chatTool('weather')]
      const asked = [{ role: 'user', content: 'call weather@Paris' }]
      const before = await start('never')
      const first = await whole(await ask(before, { tools, messages: asked }))
      await gateway.kill()
      const result = { role: 'tool', tool_call_id: first.message.tool_calls[0].id, content: 'sunny' }
      const { again, later, url } = await askThrough(point, {
        tools,
        messages: [...asked, first.message, result],
      })
      expect(again).toMatchObject({ session: first.session, message: { content: 'got sunny' } })
      expect(later).toEqual(again)
      expect(await countRuns(url)).toEqual([2])
    },
  )
})

describe('a thread that is continued when its server is killed', () => {
  const proceed = async (url: string, more: object, key?: string) => {
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify({ model: 'demo', max_tokens: 99, ...more }),
    })
    const body = await response.json()
    expect(response.status, JSON.stringify(body)).toBe(200)
    return body
  }

  const created = {
    thread: { type: 'create' },
    messages: [{ role: 'user', content: 'call weather@Paris' }],
    tools: [{ name: 'weather', input_schema: { type: 'object' } }],
  }

  test.each(['results', 'a message'])(
    'continues once with %s, and gives the same response again',
    async news => {
      const first = await proceed(await start('never'), created)
      await gateway.kill()
      const [call] = first.content
      const result = { type: 'tool_result', tool_use_id: call.id, content: 'sunny' }
      const { content } = news === 'results' ? { content: [result] } : { content: 'say so' }
      const more = {
        thread: { type: 'continue', previous_message_id: first.id },
        messages: [{ role: 'user', content }],
      }
      const dying = await start('begun')
      await expect(proceed(dying, more, 'k')).rejects.toThrow()
      await gateway.died()
      const url = await start('never')
      const again = await proceed(url, more, 'k')
      expect(again.content).toMatchObject([{ text: news === 'results' ? 'got sunny' : 'so' }])
      expect(await proceed(url, more, 'k')).toEqual(again)
      const next = await proceed(url, {
        thread: { type: 'continue', previous_message_id: again.id },
        messages: [{ role: 'user', content: 'say on' }],
      })
      expect(next.content).toMatchObject([{ text: 'on' }])
    },
  )
})
