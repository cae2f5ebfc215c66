/** A repeated request of the Responses API costs one model call, and the record of it stays small and goes away. */
import type { Model, Records } from '@toolwire/core'
import { createMemoryRecords, createMemoryStore } from '@toolwire/store'
import { describe, expect, test } from 'vitest'
import { createReceipts } from '../../src/gateway/receipts.ts'
import { createGatewayModel } from './gateway-model.ts'
import { type Gateway, startGateway } from './gateway-server.ts'

/** Each marks a request and its repetition number `n`. */
const MARKS: Readonly<
  Record<string, (n: number) => { readonly headers?: Record<string, string>; readonly body?: object }>
> = {
  'the turn of codex': n => ({ body: { client_metadata: { turn_id: 'turn', attempt: n } } }),
  'an Idempotency-Key': () => ({ headers: { 'idempotency-key': 'key' } }),
  'a retry count': n => ({ headers: { 'x-stainless-retry-count': String(n) } }),
  'an Idempotency-Key and the turn of codex': n => ({
    headers: { 'idempotency-key': 'key' },
    body: { client_metadata: { turn_id: 'turn', attempt: n } },
  }),
}

interface PostOptions {
  readonly more?: object
  readonly authorization?: string
}

const post = (
  to: Gateway,
  mark: string,
  n: number,
  { more = {}, authorization = 'Bearer a' }: PostOptions = {},
) => {
  const { headers = {}, body = {} } = MARKS[mark]?.(n) ?? {}
  const sent = { model: 'demo', input: 'say hi', ...more, ...body }
  return to.post('/v1/responses', sent, { ...headers, authorization })
}

const send = async (to: Gateway, mark: string, stream: boolean, n: number): Promise<string> => {
  const response = await post(to, mark, n, { more: { stream } })
  expect(response.status).toBe(200)
  return await response.text()
}

/** Fails at its first request in a way that a retry can change. */
function createFailingOnce(): Model & { readonly requests: readonly unknown[] } {
  const inner = createGatewayModel()
  let failed = false
  return {
    ...inner,
    requests: inner.requests,
    async *stream(request, signal) {
      const [first] = request.messages
      const messages = failed ? request.messages : [{ ...first, role: 'user', content: [FAIL] } as const]
      failed = true
      yield* inner.stream({ ...request, messages }, signal)
    },
  }
}

const FAIL = { type: 'text', text: 'fail model_overloaded 529' } as const

describe.each(Object.keys(MARKS))('%s', mark => {
  test.each([true, false])('makes six requests one model call (streaming %j)', async stream => {
    const gateway = await startGateway()
    try {
      const first = await send(gateway, mark, stream, 0)
      expect(first).toContain('hi')
      const rest = await Promise.all([1, 2, 3, 4, 5].map(n => send(gateway, mark, stream, n)))
      expect(new Set([first, ...rest]).size).toBe(1)
      expect(gateway.model.requests).toHaveLength(1)
    } finally {
      await gateway.close()
    }
  })

  test('makes 30 requests one model call, all sent before the first has an answer', async () => {
    const gateway = await startGateway()
    try {
      const sent = Array.from({ length: 30 }, (_, n) => send(gateway, mark, true, n + 1))
      expect(new Set(await Promise.all(sent)).size).toBe(1)
      expect(gateway.model.requests).toHaveLength(1)
    } finally {
      await gateway.close()
    }
  })

  test('is another request under another key', async () => {
    const gateway = await startGateway()
    try {
      const ids = new Set<string>()
      for (const authorization of ['Bearer a', 'Bearer b', 'Bearer a'])
        ids.add(((await (await post(gateway, mark, 1, { authorization })).json()) as { id: string }).id)
      expect(ids.size).toBe(2)
      expect(gateway.model.requests).toHaveLength(2)
    } finally {
      await gateway.close()
    }
  })

  test('gets one further model call when the first attempt failed, and its response from then on', async () => {
    const model = createFailingOnce()
    const gateway = await startGateway({ models: () => model })
    try {
      expect((await post(gateway, mark, 1)).status).toBe(503)
      const bodies: unknown[] = []
      for (const n of [2, 3, 4]) bodies.push(await (await post(gateway, mark, n)).json())
      expect(bodies[0]).toMatchObject({ status: 'completed' })
      expect(bodies.slice(1)).toEqual([bodies[0], bodies[0]])
      expect(model.requests).toHaveLength(2)
    } finally {
      await gateway.close()
    }
  })

  test('makes requests to two nodes at the same moment one model call', async () => {
    const { records, claims } = slowRecords()
    const shared = { store: createMemoryStore(), records, config: { shared: true } }
    const nodes = [await startGateway(shared), await startGateway(shared)] as const
    try {
      const sent = [0, 1, 2, 3, 4, 5].map(n => send(nodes[n % 2 === 0 ? 0 : 1], mark, true, n + 1))
      await claims
      expect(new Set(await Promise.all(sent)).size).toBe(1)
      expect(nodes[0].model.requests.length + nodes[1].model.requests.length).toBe(1)
    } finally {
      for (const node of nodes) await node.close()
    }
  })

  test('does so on another node that shares the data', async () => {
    const shared = { store: createMemoryStore(), records: createMemoryRecords(), config: { shared: true } }
    const nodes = [await startGateway(shared), await startGateway(shared)] as const
    try {
      const answers = [await send(nodes[0], mark, true, 0), await send(nodes[1], mark, true, 1)]
      expect(answers[1]).toBe(answers[0])
      expect(nodes[0].model.requests.length + nodes[1].model.requests.length).toBe(1)
    } finally {
      for (const node of nodes) await node.close()
    }
  })
})

/** Records that store no answer before a second node has tried to claim the same request. */
function slowRecords(): { readonly records: Records; readonly claims: Promise<void> } {
  const inner = createMemoryRecords()
  const claim = Promise.withResolvers<void>()
  let first: string | undefined
  const records: Records = {
    ...inner,
    async update(kind, id, change) {
      const wanted = Object(change(undefined)) as { readonly claim?: string; readonly answer?: unknown }
      const before = Object(await inner.get(kind, id)) as { readonly claim?: string }
      const isFill = kind === 'gateway_receipt' && wanted.claim === undefined
      if (isFill) await claim.promise
      first ??= wanted.claim
      if (wanted.claim !== undefined && before.claim === first) claim.resolve()
      return await inner.update(kind, id, change)
    },
  }
  return { records, claims: claim.promise }
}

interface Counted {
  readonly records: Records
  readonly writes: { readonly id: string; readonly bytes: number }[]
}

/** Records that count what is written for repetitions. */
function countingRecords(): Counted {
  const inner = createMemoryRecords()
  const writes: { id: string; bytes: number }[] = []
  const count = (kind: string, id: string, value: unknown): void => {
    if (kind === 'gateway_receipt') writes.push({ id, bytes: JSON.stringify(value ?? null).length })
  }
  const records: Records = {
    ...inner,
    async put(kind, id, value) {
      count(kind, id, value)
      await inner.put(kind, id, value)
    },
    async update(kind, id, change) {
      const value = await inner.update(kind, id, change)
      count(kind, id, value)
      return value
    },
  }
  return { records, writes }
}

describe('the record of a request', () => {
  const tools = [{ type: 'function' as const, name: 'weather', parameters: {}, strict: false }]

  test('is one row of three writes, whose size does not grow with the conversation', async () => {
    const { records, writes } = countingRecords()
    const gateway = await startGateway({ records })
    try {
      const sizes: number[] = []
      const input: { role: 'user' | 'assistant'; content: string }[] = []
      for (let n = 0; n < 12; n++) {
        input.push({ role: 'user', content: `say ${'word '.repeat(200)}${n}` })
        const before = writes.length
        const { output_text } = await gateway.openai.responses.create({ model: 'demo', input, tools })
        input.push({ role: 'assistant', content: output_text })
        const own = writes.slice(before)
        expect(new Set(own.map(write => write.id)).size).toBe(1)
        expect(own).toHaveLength(3)
        sizes.push(own.reduce((sum, write) => sum + write.bytes, 0))
      }
      expect(Math.max(...sizes)).toBeLessThan(3_000)
      expect(Math.max(...sizes.slice(2)) - Math.min(...sizes.slice(2))).toBeLessThan(50)
    } finally {
      await gateway.close()
    }
  })

  test('is not written for a request that nothing marks', async () => {
    const { records, writes } = countingRecords()
    const gateway = await startGateway({ records })
    try {
      await (await gateway.post('/v1/responses', { model: 'demo', input: 'say hi' })).text()
      expect(writes).toEqual([])
    } finally {
      await gateway.close()
    }
  })

  test('is removed once no repetition can use it', async () => {
    const records = createMemoryRecords()
    let now = 0
    let ids = 0
    const receipts = createReceipts<string, string>(records, {
      now: () => now,
      newId: () => `claim-${ids++}`,
      isShared: false,
      leases: undefined,
    })
    const how = {
      start: async () => 'answer',
      find: async () => undefined,
      isGood: async () => true,
      mayRepeat: () => false,
    }
    const rows = async () => (await records.list('gateway_receipt')).length
    await receipts.once({ id: 'long', request: 'r' }, how)
    for (let n = 0; n < 5_000; n++) {
      now += 100
      await receipts.once({ id: `retry-${n}`, request: 'r', maxAgeMs: 60_000, isNew: true }, how)
    }
    // Those of the last minute, and those since the latest removal.
    expect(await rows()).toBeLessThan(600 + 1_000)
    expect(await records.get('gateway_receipt', 'long')).toBeDefined()
  })
})
