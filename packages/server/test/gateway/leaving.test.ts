/** A client that leaves a pure gateway's answer: the upstream request ends with it, and what was said and used stays. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway-server.ts'
import { HALF, startHalfUpstream } from './half-upstream.ts'

let upstream: Awaited<ReturnType<typeof startHalfUpstream>>
let gateway: Gateway
beforeEach(async () => {
  upstream = await startHalfUpstream()
  gateway = await startGateway({ models: upstream.models })
})
afterEach(async () => {
  await gateway.close()
  upstream.close()
})

const WIRES = ['/v1/chat/completions', '/v1/messages']
const MODELS = ['anthropic/m', 'openai/m']

describe.each(WIRES)('a client of %s', path => {
  describe.each(MODELS)('with %s behind it', model => {
    test.each([true, false])(
      'that leaves (stream: %s) closes the upstream connection, and what was said and used is kept',
      async stream => {
        const leave = new AbortController()
        const asked = fetch(gateway.url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            model,
            stream,
            max_tokens: 99,
            messages: [{ role: 'user', content: 'go' }],
          }),
          signal: leave.signal,
        })
        const gone = asked.then(response => response.text()).catch(() => 'gone')
        await upstream.begun
        const id = await session()
        while (!(await log(id)).some(({ ev }) => ev.type === 'block.delta')) await turn()
        leave.abort()
        expect(await gone).toBe('gone')
        await upstream.cut
        await gateway.settled()
        const records = (await log(id)).map(({ ev }) => ev)
        expect(records.at(-1)).toMatchObject({ type: 'run.cancelled', reason: 'the client went away' })
        const said = records.flatMap(ev => (ev.type === 'block.delta' ? [ev.text] : [])).join('')
        expect(said).toBe(HALF)
        const aborted = records.filter(ev => ev.type === 'message.aborted')
        expect(aborted).toHaveLength(1)
        const end = records.at(-1)
        const [used] = end?.type === 'run.cancelled' ? end.usage_by_model : []
        // One API reports its input before the output; of the other it is estimated, and marked so.
        expect(used?.usage.output).toBeGreaterThan(0)
        if (model.startsWith('anthropic')) expect(used?.usage.input).toBe(11)
        else expect(used?.usage).toMatchObject({ is_estimate: true, input: expect.toSatisfy(n => n > 0) })
      },
    )
  })
})

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
const log = (id: string) => gateway.store.read(id, 0, 1000)

async function session(): Promise<string> {
  const [row] = (await gateway.store.list({ limit: 1 })).items
  return row?.id ?? ''
}
