import { afterEach, describe, expect, it } from 'vitest'
import { calling } from './calling-model.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running
afterEach(async () => {
  await running.close()
})

/** A session that waits for a call with these arguments. */
async function waiting(input_text: string): Promise<string> {
  running = await startServer({}, { model: calling(input_text) })
  const session_id = await running.newSession()
  const tools = [{ name: 'pick', input_schema: { type: 'object' } }]
  await (await running.chat({ session_id, message: 'go', tools })).text()
  await running.settled()
  return session_id
}

const LISTS = ['/api/pending?', '/api/sessions?limit=5&'] as const
/** The one item of a list. */
async function listed(path: (typeof LISTS)[number], query: string) {
  const { body } = await running.json('GET', path + query)
  return body.pending?.[0] ?? body.sessions[0].pending[0]
}
// The 2,000th unit is the first half of a character of two.
const input = JSON.stringify({ text: `${'x'.repeat(1990)}${'🚀'.repeat(5000)}` })

describe.each(LISTS)('the list %s', path => {
  it('carries arguments whole unless it is asked for the short form', async () => {
    await waiting(input)
    for (const query of ['', 'inputs=full']) {
      const item = await listed(path, query)
      expect(item.input_text).toBe(input)
      expect(item).not.toHaveProperty('input_cut')
      expect(item).not.toHaveProperty('input_chars')
    }
  })

  it('carries the beginning of long arguments in the short form and says so, with no half of a character', async () => {
    const session = await waiting(input)
    const item = await listed(path, 'inputs=short')
    expect(item).toMatchObject({
      kind: 'client_tool',
      name: 'pick',
      input_cut: true,
      input_chars: input.length,
    })
    expect(input.startsWith(item.input_text)).toBe(true)
    expect(item.input_text).toHaveLength(1999)
    expect(item.input_text.isWellFormed()).toBe(true)
    // The session itself has all of it.
    const { body } = await running.json('GET', `/api/sessions/${session}`)
    expect(body.pending[0].input_text).toBe(input)
  })

  it('leaves arguments of up to 2,000 characters as they are in the short form', async () => {
    const short = JSON.stringify({ text: 'x'.repeat(1989) })
    expect(short).toHaveLength(2000)
    await waiting(short)
    const item = await listed(path, 'inputs=short')
    expect(item.input_text).toBe(short)
    expect(item).not.toHaveProperty('input_cut')
  })

  it('refuses a form that it does not know', async () => {
    running = await startServer()
    expect(await running.json('GET', `${path}inputs=tiny`)).toMatchObject({
      status: 400,
      body: { error: { code: 'bad_request' } },
    })
  })
})
