/**
 * One call with large arguments in tiny pieces costs the same per character whatever its size: counted, not timed. What
 * is counted is the work of the whole product on its way from the provider's socket to the reader's: characters
 * that are parsed, written as JSON or looked at one by one, and what the reader gets.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Model } from '@toolwire/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countWork } from '../../core/test/count-work.ts'
import { openStage, type Stage } from './faults/product.ts'

const PIECE = 16
const SMALL = 30_000
const USAGE = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
const WORD = 'line of code;\n'

/** Calls `Echo` once, as large as its message says, a piece per turn of the loop; then says a word. */
const writingModel: Model = {
  provider: 'anthropic',
  id: 'writing',
  async *stream({ messages }) {
    yield { type: 'start', provider_message_id: 'm', model: 'writing' }
    if (messages.some(({ role }) => role === 'tool')) {
      yield { type: 'block-start', index: 0, kind: 'text' }
      yield { type: 'block-delta', index: 0, text: 'Done.' }
      yield { type: 'block-end', index: 0 }
      return yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage: USAGE }
    }
    const size = Number(/write (\d+)/.exec(JSON.stringify(messages))?.[1])
    const text = JSON.stringify({ content: WORD.repeat(size / WORD.length) })
    yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: 'toolu_1', name: 'Echo' } }
    for (let at = 0; at < text.length; at += PIECE) {
      yield { type: 'block-delta', index: 0, input_text: text.slice(at, at + PIECE) }
      await new Promise(resolve => setImmediate(resolve))
    }
    yield { type: 'block-end', index: 0 }
    yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage: USAGE }
  },
}

const TOOL = `
export const tool = ({ defineTool, z }) => defineTool({
  name: 'Echo', description: 'Takes it in.', input: z.strictObject({ content: z.string() }),
  isReadOnly: () => true,
  async *call() { yield { type: 'result', output_text: 'taken' } },
})
`

let stage: Stage
const folder = mkdtempSync(join(tmpdir(), 'toolwire-cli-'))
beforeAll(async () => {
  writeFileSync(join(folder, 'echo.js'), TOOL)
  stage = await openStage({ upstream: { model: writingModel }, flags: { tools: [folder] } })
})
afterAll(async () => {
  await stage.close()
  rmSync(folder, { recursive: true, force: true })
})

const JSON_TYPE = { 'content-type': 'application/json' }
const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(stage.url + path, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  })

async function session(model: string): Promise<string> {
  return ((await (await post('/api/sessions', { model })).json()) as { id: string }).id
}

type Ask = (model: string, size: number) => Promise<string>
const said = (size: number) => [{ role: 'user', content: `write ${size}` }]

/** How each wire is asked, and by what one of its frames with a piece of arguments is known. */
const WIRES: Readonly<Record<string, { readonly ask: Ask; readonly piece?: RegExp }>> = {
  chat: {
    piece: /"type":"tool_input_delta"/g,
    ask: async (model, size) => {
      const session_id = await session(model)
      return await (await post('/api/chat/stream', { session_id, message: `write ${size}` })).text()
    },
  },
  canonical: {
    piece: /"type":"block.delta"[^\n]*"input_text"/g,
    ask: async (model, size) => {
      const session_id = await session(model)
      await (await post('/api/chat/stream', { session_id, message: `write ${size}` })).body?.cancel()
      return await (await fetch(`${stage.url}/api/sessions/${session_id}/events`)).text()
    },
  },
  // Sends arguments whole, when the call is ready.
  thread: {
    ask: async (model, size) =>
      await (await post('/v4/response', { model, input: `write ${size}`, stream: true })).text(),
  },
  messages: {
    piece: /"partial_json"/g,
    ask: async (model, size) => {
      const tools = [{ name: 'Echo', input_schema: { type: 'object' } }]
      const body = { model, stream: true, max_tokens: 100, tools, messages: said(size) }
      const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }
      return await (await post('/v1/messages', body, headers)).text()
    },
  },
  completions: {
    piece: /"arguments"/g,
    ask: async (model, size) => {
      const tools = [{ type: 'function', function: { name: 'Echo', parameters: { type: 'object' } } }]
      return await (
        await post('/v1/chat/completions', { model, stream: true, tools, messages: said(size) })
      ).text()
    },
  },
}

async function measure(ask: Ask, model: string, size: number) {
  const { result: answer, chars } = await countWork(() => ask(model, size))
  if (size >= SMALL) expect(answer).toContain('line of code')
  return { work: chars + answer.length, answer }
}

describe.each(['claude-sonnet-5-5', 'gpt-5.5'])('a call of %s', model => {
  test.each(Object.entries(WIRES))(
    'costs the same per character over the wire %s',
    async (_, { ask, piece }) => {
      // What a request costs without any arguments is no part of it; the first one also makes what is kept.
      await measure(ask, model, WORD.length)
      const fixed = await measure(ask, model, WORD.length)
      const small = await measure(ask, model, SMALL)
      const large = await measure(ask, model, 4 * SMALL)
      const perChar = (one: { readonly work: number }, size: number) => (one.work - fixed.work) / size
      // The pace of the machine decides how many deltas are joined; work by the square would be four times as much.
      expect(perChar(large, 4 * SMALL)).toBeLessThan(2 * perChar(small, SMALL))
      if (!piece) return
      const frames = large.answer.match(piece)?.length ?? 0
      expect(frames).toBeGreaterThan(10)
      // Joined on the way: the provider sent this many times four.
      expect(frames).toBeLessThan((4 * SMALL) / PIECE / 4)
    },
  )
})
