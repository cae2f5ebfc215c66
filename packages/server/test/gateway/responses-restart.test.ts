/** Responses on a server that was restarted: they are read, followed, continued and cancelled as before. */
import type { Model } from '@toolwire/core'
import { createMemoryRecords, createMemoryStore } from '@toolwire/store'
import type OpenAI from 'openai'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Gateway, type GatewayOptions, startGateway } from './gateway-server.ts'
import { readData } from './sse.ts'

type Event = OpenAI.Responses.ResponseStreamEvent

let data: {
  readonly store: ReturnType<typeof createMemoryStore>
  readonly records: ReturnType<typeof createMemoryRecords>
}
let gateway: Gateway
beforeEach(async () => {
  data = { store: createMemoryStore(), records: createMemoryRecords() }
  gateway = await startGateway(data)
})
afterEach(async () => {
  await gateway.close()
  await data.store.close()
})

async function restart(options: GatewayOptions = {}): Promise<void> {
  await gateway.close()
  gateway = await startGateway({ ...data, ...options })
}

/** Stops in the middle of its first message until it is aborted. */
function createStumblingModel(): Model {
  let calls = 0
  return {
    provider: 'anthropic',
    id: 'demo',
    async *stream(_, signal) {
      calls += 1
      yield { type: 'start', provider_message_id: `p_${calls}`, model: 'demo' }
      yield { type: 'block-start', index: 0, kind: 'text' }
      yield { type: 'block-delta', index: 0, text: 'words ' }
      if (calls === 1) {
        await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
        return
      }
      yield { type: 'block-end', index: 0 }
      yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage: USAGE }
    },
  }
}

const USAGE = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }

/** Reads up to a mark; `rest` reads on to the end. */
async function readUntil(response: Response, mark: string) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  async function readOn(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      const next = await reader?.read()
      if (next?.value === undefined) return
      text += next.value
    }
  }
  await readOn(() => text.includes(mark))
  return { read: () => text, rest: () => readOn(() => false) }
}

const idOf = ([first]: readonly Event[]): string =>
  first?.type === 'response.created' ? first.response.id : ''

test('a finished one is the same, whole and after every event, and can be continued', async () => {
  const request = { model: 'demo', input: 'think and say hi', stream: true } as const
  const events = await Array.fromAsync(await gateway.openai.responses.create(request))
  const id = idOf(events)
  const whole = await gateway.openai.responses.retrieve(id)
  await restart()
  expect(await gateway.openai.responses.retrieve(id)).toEqual(whole)
  for (const [n, { sequence_number }] of events.entries()) {
    const rest = await gateway.openai.responses.retrieve(id, {
      stream: true,
      starting_after: sequence_number,
    })
    expect(await Array.fromAsync(rest)).toEqual(events.slice(n + 1))
  }
  const next = await gateway.openai.responses.create({
    model: 'demo',
    input: 'say b',
    previous_response_id: id,
  })
  expect(next.output_text).toBe('b')
  expect(gateway.model.requests[0]?.messages).toHaveLength(3)
})

test('one in progress ends, and its further events have higher numbers', async () => {
  const model = createStumblingModel()
  await restart({ models: () => model })
  const request = { model: 'demo', input: 'go', background: true, stream: true } as const
  const before: Event[] = []
  for await (const event of await gateway.openai.responses.create(request)) {
    before.push(event)
    if (event.type === 'response.output_text.delta') break
  }
  const id = idOf(before)
  const last = before.at(-1)?.sequence_number ?? 0
  await restart({ models: () => model })
  // Words that were sent cannot be withdrawn: the response fails, and a new request is answered.
  const rest = await fetch(`${gateway.url}/v1/responses/${id}?stream=true&starting_after=${last}`)
  const after = (await readData(rest)).filter(event => event.sequence_number !== undefined)
  expect(after.at(-1)).toMatchObject({ type: 'response.failed' })
  for (const event of after) expect(event.sequence_number).toBeGreaterThan(last)
  expect((await gateway.openai.responses.retrieve(id)).status).toBe('failed')
})

test('codex, whose message is begun again, is cut off before the item ends, and repeats the request', async () => {
  const model = createStumblingModel()
  await restart({ models: () => model })
  const other = await startGateway({ ...data, models: () => model })
  onTestFinished(() => other.close())
  const body = { model: 'demo', input: 'go', stream: true, client_metadata: { turn_id: 't' } }
  const readers = [await gateway.post('/v1/responses', body), await other.post('/v1/responses', body)]
  const [, text] = await Promise.all(readers.map(response => readUntil(response, '"delta":"words "')))
  await gateway.close()
  await expect(text?.rest()).rejects.toThrow()
  expect(text?.read()).not.toContain('output_item.done')
  expect(await (await other.post('/v1/responses', body)).text()).toContain('event: response.completed')
  expect((await other.get('/api/sessions')).sessions).toHaveLength(1)
})

test('a cancelled one stays cancelled, with the words that it had', async () => {
  const request = { model: 'demo', input: 'hang', background: true, stream: true } as const
  let id = ''
  for await (const event of await gateway.openai.responses.create(request)) {
    if (event.type === 'response.created') id = event.response.id
    if (event.type === 'response.output_text.delta') break
  }
  const cancelled = await gateway.openai.responses.cancel(id)
  expect(cancelled.status).toBe('cancelled')
  expect(cancelled.output).toMatchObject([{ type: 'message', content: [{ text: 'half ' }] }])
  await restart()
  expect(await gateway.openai.responses.cancel(id)).toEqual(cancelled)
  expect(await gateway.openai.responses.retrieve(id)).toMatchObject({ ...cancelled })
  const events = await Array.fromAsync(await gateway.openai.responses.retrieve(id, { stream: true }))
  expect(events.at(-1)).toMatchObject({
    type: 'response.incomplete',
    response: { status: 'cancelled', incomplete_details: { reason: 'cancelled' } },
  })
})
