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

type Point = 'planned' | 'begun' | 'never'

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

describe('a server that is killed when an answer has begun and nobody knows of it', () => {
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
