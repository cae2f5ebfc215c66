/** kill -9 between the request and its answer, then the same request again under its Idempotency-Key. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chatTool } from './gateway-server.ts'

const SERVER = fileURLToPath(new URL('killed-gateway.ts', import.meta.url))

let folder: string
let child: ChildProcess | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolwire-killed-'))
})
afterEach(async () => {
  await end()
  await rm(folder, { recursive: true, force: true })
})

type Point = 'planned' | 'begun' | 'half' | 'never'

async function start(point: Point): Promise<string> {
  child = spawn(process.execPath, ['--conditions=toolwire-source', SERVER, folder, point], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  for await (const chunk of child.stdout ?? []) {
    out += chunk
    if (out.includes('\n')) return out.trim()
  }
  throw new Error('the server did not start')
}

async function end(): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

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
async function askThrough(point: Point, body: object) {
  const first = await start(point)
  await expect(ask(first, body, 'k')).rejects.toThrow()
  if (child?.signalCode === null) await once(child, 'exit')
  const second = await start('never')
  const again = await whole(await ask(second, body, 'k'))
  const later = await whole(await ask(second, body, 'k'))
  return { again, later, url: second }
}

interface Listed {
  readonly sessions: readonly { readonly id: string }[]
}

/** How often each session was asked for an answer: imported runs are past. */
async function runs(url: string): Promise<readonly number[]> {
  const { sessions } = (await (await fetch(`${url}/api/sessions`)).json()) as Listed
  const counts = sessions.map(async ({ id }) => {
    const response = await fetch(`${url}/api/sessions/${id}/events?wire=canonical`)
    const records = (await response.text())
      .split('\n')
      .flatMap(line => (line.startsWith('data: ') ? [line] : []))
    return records.filter(line => line.includes('"type":"run.started"') && !line.includes('"import"')).length
  })
  return await Promise.all(counts)
}

const question = { messages: [{ role: 'user', content: 'say hello' }] }

const slowly = { messages: [{ role: 'user', content: 'slow hello' }] }

describe('a server that is killed in the middle of an answer', () => {
  test('a retry gives the response of its run, in the same session and without the aborted part', async () => {
    const { again, later, url } = await askThrough('half', slowly)
    expect(again.message.content).toBe('half hello')
    expect(later).toEqual(again)
    expect(await runs(url)).toEqual([1])
  })

  test('a repeated stream is whole too, once the run has been resumed', async () => {
    const body = { ...slowly, stream: true }
    const first = await start('half')
    await expect(ask(first, body, 'k').then(response => response.text())).rejects.toThrow()
    if (child?.signalCode === null) await once(child, 'exit')
    const second = await start('never')
    let text = ''
    while (!text.includes('[DONE]')) {
      text = await (await ask(second, body, 'k')).text()
      expect(text).toMatch(/\[DONE\]|started again; repeat the request/)
    }
    expect([...text.matchAll(/"content":"([^"]*)"/g)].map(found => found[1]).join('')).toBe('half hello')
    expect(await runs(second)).toEqual([1])
  })
})

test('a key that a killed server had taken is free for the next one, which has the data to itself', async () => {
  const { again, later, url } = await askThrough('planned', question)
  expect(again.message.content).toBe('hello')
  expect(later).toEqual(again)
  expect(await runs(url)).toEqual([1])
})

describe('a server that is killed when a response has started unrecorded', () => {
  test('a new conversation gets one session, one run and one answer', async () => {
    const { again, later, url } = await askThrough('begun', question)
    expect(again.message.content).toBe('hello')
    expect(later).toEqual(again)
    expect(await runs(url)).toEqual([1])
  })

  test('a further message is said once, in its session', async () => {
    const before = await start('never')
    const first = await whole(await ask(before, question))
    await end()
    const more = { messages: [...question.messages, first.message, { role: 'user', content: 'say more' }] }
    const { again, later, url } = await askThrough('begun', more)
    expect(again).toMatchObject({ session: first.session, message: { content: 'more' } })
    expect(later).toEqual(again)
    expect(await runs(url)).toEqual([2])
  })

  test.each(['planned', 'begun'] as const)(
    'results that are %s go into the session that waits for them, once',
    async point => {
      const tools = [chatTool('weather')]
      const asked = [{ role: 'user', content: 'call weather@Paris' }]
      const before = await start('never')
      const first = await whole(await ask(before, { tools, messages: asked }))
      await end()
      const result = { role: 'tool', tool_call_id: first.message.tool_calls[0].id, content: 'sunny' }
      const { again, later, url } = await askThrough(point, {
        tools,
        messages: [...asked, first.message, result],
      })
      expect(again).toMatchObject({ session: first.session, message: { content: 'got sunny' } })
      expect(later).toEqual(again)
      expect(await runs(url)).toEqual([2])
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
      await end()
      const [call] = first.content
      const result = { type: 'tool_result', tool_use_id: call.id, content: 'sunny' }
      const { content } = news === 'results' ? { content: [result] } : { content: 'say so' }
      const more = {
        thread: { type: 'continue', previous_message_id: first.id },
        messages: [{ role: 'user', content }],
      }
      const dying = await start('begun')
      await expect(proceed(dying, more, 'k')).rejects.toThrow()
      if (child?.signalCode === null) await once(child, 'exit')
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
