/** The bytes of the vendors' streams: what their strictest clients accept, and how a reader finds the rest of a lost stream. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway-server.ts'
import { readData } from './sse.ts'

let gateway: Gateway
beforeEach(async () => {
  gateway = await startGateway({ config: { heartbeatMs: 20 } })
})
afterEach(() => gateway.close())

const toMessages = (content: string) => [{ role: 'user', content }]
const BODIES: Readonly<Record<string, (content: string) => object>> = {
  '/v1/chat/completions': content => ({ messages: toMessages(content) }),
  '/v1/messages': content => ({ max_tokens: 9, messages: toMessages(content) }),
  '/v1/responses': input => ({ input }),
}

const ask = (path: string, content: string): Promise<Response> =>
  gateway.post(path, { model: 'demo', stream: true, ...BODIES[path]?.(content) })

describe.each([
  ['/v1/chat/completions', 'openai-chat'],
  ['/v1/messages', 'anthropic-messages'],
  ['/v1/responses', 'openai-responses'],
])('a stream of %s', (path, wire) => {
  test('holds frames with data and comments, and no id or retry line', async () => {
    const response = await ask(path, 'slow and steady')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) break
      text += value
      // At least two heartbeats come between the words.
      if (text.split(': hb\n\n').length > 2) gateway.model.open()
    }
    const frames = text.split('\n\n').filter(frame => frame !== '')
    const isComment = (frame: string): boolean => frame === ': hb'
    expect(frames.filter(isComment).length).toBeGreaterThan(1)
    for (const frame of frames.filter(one => !isComment(one)))
      expect(frame).toMatch(/^(event: [\w.]+\n)?data: [^\n]+$/)
    expect(text).toContain('steady')
  })

  test('names the position from which its events can be read again', async () => {
    const question = await ask(path, 'say one')
    await question.text()
    const session = question.headers.get('x-session-id') ?? ''
    const cursor = question.headers.get('x-session-cursor') ?? ''
    expect(cursor).toMatch(new RegExp(`^${session}\\.\\d+$`))
    const events = `${gateway.url}/api/sessions/${session}/events?after=${cursor}`
    const canonical = await readData(await fetch(events))
    expect(canonical[0]).toMatchObject({ type: 'input.message' })
    const same = await readData(await fetch(`${events}&wire=${wire}`))
    const answer = await readData(await ask(path, 'say one'))
    expect(JSON.stringify(same)).toContain('one')
    expect(same).toHaveLength(answer.length)
  })
})
