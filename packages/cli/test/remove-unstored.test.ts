/** Sessions of responses that were not to be stored go after a while, and no others. */
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../server/test/gateway/gateway-server.ts'
import { readConfig } from '../src/config.ts'
import { removeUnstored } from '../src/remove-unstored.ts'

const create = async (gateway: Gateway, body: object, session?: string) => {
  const headers: Record<string, string> = session === undefined ? {} : { 'x-session-id': session }
  const response = await gateway.post('/v1/responses', { model: 'demo', ...body }, headers)
  return (await response.json()) as { readonly session_id: string; readonly output: readonly object[] }
}
const later = () => Date.now() + 60_000

test('a session with such responses alone is removed, and its conversation continues with what the client brings', async () => {
  const store = createMemoryStore()
  const gateway = await startGateway({ store })
  const first = await create(gateway, { input: 'think and say a', store: false })
  const history = [{ role: 'user', content: 'think and say a' }, ...first.output]
  const again = { input: [...history, { role: 'user', content: 'say b' }], store: false }
  const second = await create(gateway, again)
  expect(second.session_id).toBe(first.session_id)
  await gateway.settled()
  expect(await removeUnstored(store, Date.now() - 60_000)).toBe(0)
  expect(await removeUnstored(store, later())).toBe(1)
  expect((await gateway.get('/api/sessions')).sessions).toEqual([])
  const next = await create(gateway, {
    ...again,
    input: [...again.input, ...second.output, { role: 'user', content: 'say c' }],
  })
  expect(next.output).toMatchObject([{ type: 'message', content: [{ text: 'c' }] }])
  expect(JSON.stringify(gateway.model.requests.at(-1)?.messages)).toContain('sig-1')
  await gateway.close()
  await store.close()
})

test('stored responses, sessions of other wires and calls that wait keep theirs', async () => {
  const store = createMemoryStore()
  const gateway = await startGateway({ store })
  const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }]
  await create(gateway, { input: 'say a' })
  await create(gateway, { input: 'call weather@Rome', tools, store: false })
  const mixed = await create(gateway, { input: 'say m', store: false })
  await create(gateway, { input: 'say n' }, mixed.session_id)
  const other = await create(gateway, { input: 'say o', store: false })
  const chat = { model: 'demo', messages: [{ role: 'user', content: 'say p' }] }
  await gateway.post('/v1/chat/completions', chat, { 'x-session-id': other.session_id })
  await gateway.settled()
  const before = (await gateway.get('/api/sessions')).sessions.length
  expect(await removeUnstored(store, later())).toBe(0)
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(before)
  await gateway.close()
  await store.close()
})

test.each([
  ['2', 2],
  ['0.5', 0.5],
])('the time is a number of hours (%s)', (text, hours) => {
  const read = (env: Record<string, string>) => readConfig({ flags: {}, env, cwd: '/nowhere' }).unstoredHours
  expect(read({ TOOLWIRE_UNSTORED_HOURS: text })).toBe(hours)
  expect(read({})).toBeUndefined()
  expect(() => read({ TOOLWIRE_UNSTORED_HOURS: '-1' })).toThrow(/unstoredHours/)
})
