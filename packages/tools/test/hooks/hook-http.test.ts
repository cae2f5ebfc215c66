/** Hooks over HTTP: signed requests, bounded answers, and no way to an address that was not meant. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/define-tool.ts'
import { parseHooks } from '../../src/hooks/hook-config.ts'
import { BeforeAnswer, type HookEvent } from '../../src/hooks/hook-event.ts'
import type { HookConfig } from '../../src/hooks/hook-types.ts'
import { runHook } from '../../src/hooks/run-hook.ts'
import { codeOf, createStage } from '../stage.ts'

const closing: (() => unknown)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

interface Received {
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

async function serve(answer: (response: ServerResponse) => void) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      answer(response)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}

const EVENT: HookEvent = {
  event: 'before_tool',
  session_id: 'ses_1',
  call_id: 'call_1',
  tool: 'look',
  input: { at: 'x' },
  cwd: '/',
  permission_mode: 'default',
}

async function ask(hook: object, signal = new AbortController().signal) {
  const [parsed] = parseHooks({ before_tool: [hook] as never }).before_tool as readonly HookConfig[]
  if (!parsed) throw new Error('no hook')
  return await runHook(parsed, EVENT, BeforeAnswer, signal)
}
const json = (value: unknown) => (response: ServerResponse) => response.end(JSON.stringify(value))

test('an event is a signed POST, the same at every try, and the response is the answer', async () => {
  const key = Buffer.alloc(32, 7)
  const { url, received } = await serve(json({ decision: 'deny', reason: 'no' }))
  const hook = { url, secret: `whsec_${key.toString('base64')}`, headers: { 'x-team': 'blue' } }
  expect(await ask(hook)).toEqual({ ok: true, answer: { decision: 'deny', reason: 'no' } })
  await ask(hook)
  const [first, second] = received
  expect(JSON.parse(first?.body ?? '')).toEqual(EVENT)
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = first?.headers ?? {}
  const signed = createHmac('sha256', key).update(`${id}.${time}.${first?.body}`).digest('base64')
  expect(signature).toBe(`v1,${signed}`)
  expect(first?.headers['x-team']).toBe('blue')
  expect(id).toMatch(/^[^.]+$/)
  expect(second?.headers['webhook-id']).toBe(id)
})

test('without a secret nothing is signed, and an empty response changes nothing', async () => {
  const { url, received } = await serve(response => response.writeHead(204).end())
  expect(await ask({ url })).toEqual({ ok: true, answer: {} })
  expect(received[0]?.headers['webhook-signature']).toBeUndefined()
})

test.each([
  [
    'a redirect',
    (response: ServerResponse) => response.writeHead(307, { location: '/else' }).end(),
    'status 307',
  ],
  ['a failure', (response: ServerResponse) => response.writeHead(500).end('secret detail'), 'status 500'],
  [
    'a response without end',
    (response: ServerResponse) => void response.write('x'.repeat(70_000)),
    'longer than',
  ],
  ['no JSON', (response: ServerResponse) => response.end('<html>'), 'JSON'],
  ['a silent server', () => {}, 'took longer than 300 ms'],
])('%s is a failure of the hook', async (_, answer, problem) => {
  const { url, received } = await serve(answer)
  const outcome = await ask({ url, timeout_ms: 300 })
  expect(outcome).toMatchObject({ ok: false, problem: expect.stringContaining(problem) })
  expect(JSON.stringify(outcome)).not.toContain('secret detail')
  expect(received).toHaveLength(1)
})

test('what is said of a hook never holds the query of its address', async () => {
  const { url } = await serve(response => response.writeHead(500).end())
  expect(JSON.stringify(await ask({ url: `${url}?token=geheim` }))).not.toContain('geheim')
})

test('a call is denied over HTTP', async () => {
  const { url } = await serve(json({ decision: 'deny', reason: 'no' }))
  const look = defineTool({
    name: 'look',
    description: 'look',
    input: z.strictObject({}),
    isReadOnly: () => true,
    async *call() {
      yield { type: 'result', output_text: 'saw' }
    },
  })
  const stage = createStage({ tools: [look], hooks: { before_tool: [{ url }] } })
  closing.push(stage.close)
  expect(codeOf(await stage.one('look', {}))).toBe('denied_hook')
})
