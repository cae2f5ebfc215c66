/** The budget of a key ends a run between two requests to the model, with what was charged until then. */
import type { Model } from '@toolwire/core'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolwire, defineTool, type Toolwire } from '../../src/index.ts'

let toolwire: Toolwire
afterEach(async () => {
  await toolwire.close()
})

const look = defineTool({
  name: 'Look',
  description: 'Looks.',
  isReadOnly: () => true,
  input: z.strictObject({}),
  async *call() {
    yield { type: 'result', output_text: 'Nothing.' }
  },
})

/** Looks again and again: two tokens a turn. */
function lookingModel(onTurn: () => void): Model {
  let n = 0
  return {
    provider: 'test',
    id: 'looker',
    async *stream() {
      onTurn()
      n += 1
      yield { type: 'start', provider_message_id: `p${n}`, model: 'looker' }
      yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: `call_${n}`, name: 'Look' } }
      yield { type: 'block-delta', index: 0, input_text: '{}' }
      yield { type: 'block-end', index: 0 }
      const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
      yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage }
    },
  }
}

const CHIEF = 'a-key-of-the-operator'

it('is the sum of all runs of the key, and the next run is refused', async () => {
  let turns = 0
  const model = lookingModel(() => {
    turns += 1
  })
  toolwire = createToolwire({ apiKeys: [CHIEF], models: { looker: model }, model: 'looker', tools: [look] })
  const ask = async (key: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    return await toolwire.handler(new Request(`https://app.example.com${path}`, init))
  }
  const budgets = [{ tokens: 7, period: 'month' }]
  const { key } = await (await ask(CHIEF, '/api/keys', { name: 'page', budgets })).json()
  const { id } = await (await ask(key, '/api/sessions', {})).json()
  const stream = await (await ask(key, '/api/chat/stream', { session_id: id, message: 'go' })).text()
  expect(stream).toContain('used up its budget of this month: 7 tokens')
  // Eight tokens: the turn that crosses the limit is the last.
  expect(turns).toBe(4)
  const me = await (await ask(key, '/api/me')).json()
  expect(me.budgets).toMatchObject([{ tokens: 7, used: { tokens: 8 }, warning: true }])
  const next = await ask(key, '/api/chat/stream', { session_id: id, message: 'again' })
  expect(next.status).toBe(429)
  expect((await next.json()).error).toMatchObject({ code: 'quota_exceeded' })
  expect(turns).toBe(4)
})
