/** One session live on all wires at once: every stream is what a reader that comes later gets, byte for byte. */
import { HttpAgent } from '@ag-ui/client'
import OpenAI from 'openai'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Running, startServer } from '../start-server.ts'
import { callsOf, openPage, textOf } from './page.ts'

const WIRES = [
  'chat',
  'thread',
  'canonical',
  'openai-chat',
  'anthropic-messages',
  'openai-responses',
  'ai-sdk-5',
  'ai-sdk-6',
  'ai-sdk-7',
  'ag-ui',
] as const

let server: Running
beforeEach(async () => {
  server = await startServer()
})
afterEach(() => server.close())

const frames = (text: string): string => text.replaceAll(/^:.*\n\n/gm, '')

/** Reads on until `stop`; the text is whole frames. */
function watch(url: string) {
  const abort = new AbortController()
  const state = { text: '' }
  const done = (async () => {
    const response = await fetch(url, { signal: abort.signal })
    if (!response.body) return
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) state.text += piece
  })().catch(() => {})
  return {
    frames: () => frames(state.text),
    stop: async () => {
      abort.abort()
      await done
    },
  }
}

test('is begun by useChat, approved in CopilotKit, continued by three clients, and exact on every wire', async () => {
  const page = openPage(7, server.url, { id: 'shared' })
  const asked = page.sendMessage({ text: 'ask' })
  await asked
  const approval = callsOf(page.messages[1])[0]?.approval?.id ?? ''
  const { id } = (await server.json('GET', '/api/sessions')).body.sessions[0]
  const events = (wire: string, more = '') => `${server.url}/api/sessions/${id}/events?wire=${wire}${more}`
  const live = WIRES.map(wire => watch(events(wire, '&follow=1')))

  const agent = new HttpAgent({ url: `${server.url}/copilotkit/agent/default/run`, threadId: 'shared' })
  await agent.runAgent({
    resume: [{ interruptId: approval, status: 'resolved', payload: { approved: true } }],
  })
  const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' })
  const headers = { 'x-session-id': id }
  const said = await openai.chat.completions.create(
    { model: 'demo', messages: [{ role: 'user', content: 'over chat completions' }] },
    { headers },
  )
  expect(said.choices[0]?.message.content).toBe('over chat completions')
  const response = await openai.responses.create({ model: 'demo', input: 'over responses' }, { headers })
  expect(response.output_text).toBe('over responses')
  agent.addMessage({ id: 'u9', role: 'user', content: 'over AG-UI' })
  await agent.runAgent()
  const { messages } = (await server.json('GET', '/api/ai/v7/chat/shared/messages')).body
  const reloaded = openPage(7, server.url, { id: 'shared', messages })
  await reloaded.sendMessage({ text: 'over useChat' })
  expect(reloaded.messages.map(textOf)).toEqual([
    'ask',
    'got ran',
    ...['over chat completions', 'over responses', 'over AG-UI', 'over useChat'].flatMap(text => [
      text,
      text,
    ]),
  ])
  expect((await server.json('GET', '/api/sessions')).body.sessions).toHaveLength(1)
  expect((await server.json('GET', '/api/ai/v7/chat/shared/messages')).body.messages).toEqual(
    JSON.parse(JSON.stringify(reloaded.messages)),
  )

  for (const [at, wire] of WIRES.entries()) {
    const later = frames(await (await fetch(events(wire))).text())
    expect(later, wire).toContain('useChat')
    await expect.poll(() => live[at]?.frames().length).toBeGreaterThanOrEqual(withoutEnd(later).length)
    expect(withoutEnd(live[at]?.frames() ?? ''), wire).toBe(withoutEnd(later))
  }
  for (const one of live) await one.stop()
})

/** A stream that is followed has no end yet. */
const withoutEnd = (text: string): string => text.replace(/data: \[DONE\]\n\n$/, '')
