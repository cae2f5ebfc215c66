/** Effort of thinking that models are asked for: by the server, by the session, by the message, and never by the gateway. */
import { type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inFolder, type Launched, launch, run } from './launch.ts'

let fake: FakeUpstream
beforeAll(async () => {
  fake = await startFakeUpstream()
})
afterAll(() => fake.close())

const env = () => ({
  ANTHROPIC_API_KEY: 'sk-test',
  ANTHROPIC_BASE_URL: fake.url,
  OPENAI_API_KEY: 'sk-test',
  OPENAI_BASE_URL: `${fake.url}/v1`,
})

async function withServer(args: readonly string[], check: (server: Launched) => Promise<void>) {
  await inFolder(async dir => {
    const server = await launch(dir, ['--port', '0', '--model', 'claude-opus-5', ...args], env())
    await check(server)
    expect((await server.stop()).stderr).toBe('')
  })
}

async function json<T>(url: string, method: string, body?: object): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, body: body ? JSON.stringify(body) : null })
  const text = await response.text()
  return (text.startsWith('{') ? JSON.parse(text) : text) as T
}

interface Session {
  readonly id: string
  readonly effort?: string
}

const create = (url: string, body: object = {}) => json<Session>(`${url}/api/sessions`, 'POST', body)

/** What the provider was sent last, as far as it is about thinking. */
async function sent(url: string, session: string, more: object = {}) {
  await json(`${url}/api/chat/stream`, 'POST', { session_id: session, message: 'hello', ...more })
  return latest()
}

function latest() {
  const { thinking, output_config, reasoning_effort, tools } = (fake.requests.at(-1)?.body ?? {}) as {
    thinking?: unknown
    output_config?: unknown
    reasoning_effort?: unknown
    tools?: readonly { name?: string; function?: { name: string } }[]
  }
  const names = (tools ?? []).map(tool => tool.name ?? tool.function?.name)
  return { thinking, output_config, reasoning_effort, think: names.includes('Think') }
}

const ADAPTIVE = { type: 'adaptive', display: 'summarized' }

test('a model that can think is asked to, and is not offered Think', async () => {
  await withServer([], async ({ url }) => {
    const { id, effort } = await create(url)
    expect(effort).toBe('auto')
    expect(await sent(url, id)).toEqual({ thinking: ADAPTIVE, think: false })
    const older = await create(url, { model: 'claude-sonnet-4-5' })
    const budget = { type: 'enabled', budget_tokens: 8192 }
    expect(await sent(url, older.id)).toEqual({ thinking: budget, think: false })
    const gpt = await create(url, { model: 'gpt-5.1' })
    expect(await sent(url, gpt.id)).toEqual({ reasoning_effort: 'medium', think: false })
  })
})

test('a model that cannot think is offered Think instead', async () => {
  await withServer([], async ({ url }) => {
    for (const model of ['claude-3-5-haiku', 'gpt-4o', 'openai/of-my-own']) {
      const { id } = await create(url, { model })
      expect(await sent(url, id)).toEqual({ think: true })
    }
  })
})

test('the message comes before the session, and the session before the server', async () => {
  await withServer(['--effort', 'low'], async ({ url }) => {
    expect(await json(`${url}/api/settings`, 'GET')).toMatchObject({ effort: 'low' })
    const { id, effort } = await create(url)
    expect(effort).toBe('low')
    expect((await sent(url, id)).output_config).toEqual({ effort: 'low' })
    const changed = await json<Session>(`${url}/api/sessions/${id}`, 'PATCH', { effort: 'none' })
    expect(changed.effort).toBe('none')
    expect((await sent(url, id)).thinking).toEqual({ type: 'disabled' })
    expect((await sent(url, id, { effort: 'high' })).output_config).toEqual({ effort: 'high' })
    expect((await sent(url, id)).thinking).toEqual({ type: 'disabled' })
    expect(await json(`${url}/api/sessions/${id}`, 'GET')).toMatchObject({ effort: 'none' })
    const { sessions } = await json<{ sessions: Session[] }>(`${url}/api/sessions`, 'GET')
    expect(sessions.find(session => session.id === id)?.effort).toBe('none')
    await json(`${url}/v4/response`, 'POST', { input: 'hello', stream: false, effort: 'max' })
    expect(latest().output_config).toEqual({ effort: 'max' })
  })
})

test('a request of a vendor API gets the thinking that it asks for, and no other', async () => {
  await withServer(['--effort', 'high'], async ({ url }) => {
    const messages = [{ role: 'user', content: 'hello' }]
    await json(`${url}/v1/chat/completions`, 'POST', { model: 'claude-opus-5', messages })
    expect(latest()).toEqual({ think: false })
    await json(`${url}/v1/chat/completions`, 'POST', { model: 'gpt-5.1', messages })
    expect(latest()).toEqual({ think: false })
    await json(`${url}/v1/messages`, 'POST', { model: 'claude-opus-5', messages, max_tokens: 100 })
    expect(latest()).toEqual({ think: false })
    const thinking = { type: 'enabled', budget_tokens: 2000 }
    await json(`${url}/v1/messages`, 'POST', {
      model: 'claude-sonnet-4-5',
      messages,
      max_tokens: 9000,
      thinking,
    })
    expect(latest()).toEqual({ thinking, think: false })
  })
})

test('another effort is refused with the ones that there are', async () => {
  await inFolder(async dir => {
    const end = await run(['--port', '0', '--effort', 'enormous'], dir)
    expect(end.stderr).toBe(
      'toolwire: effort must be one of auto, none, minimal, low, medium, high, xhigh, max, but is "enormous" (flag --effort).\n',
    )
  })
  await withServer([], async ({ url }) => {
    const { id } = await create(url)
    for (const [path, method] of [
      ['/api/sessions', 'POST'],
      [`/api/sessions/${id}`, 'PATCH'],
      ['/api/chat/stream', 'POST'],
    ] as const) {
      const body = { session_id: id, message: 'hello', effort: 'enormous' }
      expect(await json(url + path, method, body)).toMatchObject({
        error: { code: 'bad_request', message: expect.stringContaining('effort') },
      })
    }
  })
})
