/**
 * Messages of an MCP server with random wounds, over a real connection: whatever one of its answers holds, the server
 * is ready or says why not, a call has an outcome with words, and nothing is thrown past the connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { fuzzing, mutatedJson, mutatedText } from '../../core/test/mutate.ts'
import { codeOf, textOf } from '../../tools/test/stage.ts'
import { closeServers, listen, serveModern, serveSessions } from './http-servers.ts'
import { closeAll, stageOf, start, until } from './stage-mcp.ts'

// Each unanswered damage costs its timeout.
vi.setConfig({ testTimeout: 400_000 })
afterEach(closeAll)
afterEach(closeServers)

interface Message {
  readonly id?: unknown
  readonly method?: string
}

/** Takes the place of the server's answer when it gives a text. */
type Instead = (asked: Message, honest: string) => string | undefined

/** Between the client and an honest server. */
async function standBetween(to: string, instead: { current: Instead }): Promise<string> {
  return await listen((request, response) => void pass(to, instead, request, response))
}

async function pass(
  to: string,
  instead: { readonly current: Instead },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === 'string' &&
    !/^(host|connection|content-length|transfer-encoding|accept-encoding)$/.test(name)
      ? [[name, value] as [string, string]]
      : [],
  )
  // Its notices are not what is tried here.
  if (request.method !== 'POST') return void response.writeHead(405).end()
  try {
    const answer = await fetch(to, { method: 'POST', headers, body })
    const text = await answer.text()
    const wounded = instead.current(JSON.parse(body) as Message, text)
    const session = answer.headers.get('mcp-session-id')
    response.writeHead(answer.status, {
      'content-type':
        wounded === undefined ? (answer.headers.get('content-type') ?? 'text/plain') : 'application/json',
      ...(session === null ? {} : { 'mcp-session-id': session }),
    })
    response.end(wounded ?? text)
  } catch {
    response.destroy()
  }
}

/** The message in an answer, which is JSON or a stream of one event. */
function messageIn(text: string): unknown {
  const line = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}

/** An unrecognized response is waited for in vain. */
const BRIEFLY = { startup_timeout_ms: 400, timeout_ms: 400 }

/** A whole life: connect, list, call. Returns what the call came to; undefined when there was nothing to call. */
async function live(url: string, patience: object = {}): Promise<string | undefined> {
  const mcp = start({ test: { type: 'http', url, headers: {}, ...patience } })
  await until(mcp, () => mcp.status()[0]?.state === 'ready' || mcp.status()[0]?.error !== undefined)
  const [status] = mcp.status()
  if (status?.state !== 'ready') expect(status?.error).toMatch(/\S/)
  JSON.stringify(mcp.tools().map(({ name, description, input_schema }) => [name, description, input_schema]))
  const called = mcp.tools().some(tool => tool.name === 'mcp__test__echo')
  if (!called) return undefined
  const outcome = await stageOf(mcp).one('mcp__test__echo', { text: 'hello' })
  return textOf(outcome) || codeOf(outcome)
}

const ERAS = [
  ['with sessions', serveSessions],
  ['without sessions', serveModern],
] as const

describe.for(ERAS)('an MCP server %s', ([, serve]) => {
  test('is heard or given up, whatever one of its answers holds', async () => {
    const { url: honest } = await serve()
    const instead: { current: Instead } = { current: () => undefined }
    const url = await standBetween(honest, instead)
    const answers = new Map<string, unknown>()
    instead.current = ({ method }, text) => {
      const message = messageIn(text)
      if (method !== undefined && message !== undefined) answers.set(method, message)
      return undefined
    }
    expect(await live(url)).toBe('hello')
    await closeAll()
    expect([...answers.keys()]).toEqual(expect.arrayContaining(['tools/list', 'tools/call']))

    const wounds = fc.oneof(
      ...[...answers].map(([method, message]) =>
        fc.record({
          method: fc.constant(method),
          keepsId: fc.boolean(),
          text: fc.oneof(
            { weight: 4, arbitrary: mutatedJson([message]).map(value => JSON.stringify(value) ?? 'null') },
            { weight: 1, arbitrary: mutatedText([JSON.stringify(message)]) },
          ),
        }),
      ),
    )
    await fc.assert(
      fc.asyncProperty(wounds, async ({ method, keepsId, text }) => {
        instead.current = (asked, _) =>
          asked.method === method ? withId(text, asked.id, keepsId) : undefined
        const came = await live(url, BRIEFLY)
        if (came !== undefined) expect(came).toMatch(/\S/)
        await closeAll()
      }),
      fuzzing(25),
    )
    instead.current = () => undefined
    expect(await live(url)).toBe('hello')
  })
})

/** An answer to another question is not heard at all, so most keep the id of the one that was asked. */
function withId(text: string, id: unknown, keepsId: boolean): string {
  const message = keepsId ? messageIn(text) : undefined
  const isObject = typeof message === 'object' && message !== null && !Array.isArray(message)
  return isObject ? JSON.stringify({ ...message, id }) : text
}
