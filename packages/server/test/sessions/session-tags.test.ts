import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Running, startServer } from '../start-server.ts'

let running: Running
beforeEach(async () => {
  running = await startServer()
})
afterEach(async () => {
  await running.close()
})

async function make(title: string): Promise<string> {
  const { body } = await running.json('POST', '/api/sessions', { title })
  return (body as { id: string }).id
}
async function titles(query = ''): Promise<readonly string[]> {
  const { body } = await running.json('GET', `/api/sessions${query}`)
  return (body as { sessions: { title: string }[] }).sessions.map(session => session.title).sort()
}
const change = (id: string, patch: object) => running.json('PATCH', `/api/sessions/${id}`, patch)

describe('tags of a session', () => {
  it('are found again, and given ones replace those before', async () => {
    const one = await make('one')
    await make('two')
    expect((await change(one, { tags: ['work', 'later'] })).body).toMatchObject({ tags: ['later', 'work'] })
    expect(await titles('?tag=work')).toEqual(['one'])
    await change(one, { tags: ['home'] })
    expect(await titles('?tag=work')).toEqual([])
    expect(await titles('?tag=home')).toEqual(['one'])
    await change(one, { tags: [] })
    expect(await titles('?tag=home')).toEqual([])
    expect((await running.json('GET', `/api/sessions/${one}`)).body).not.toHaveProperty('tags')
  })

  it('are short words, and few', async () => {
    const one = await make('one')
    for (const tags of [
      [''],
      ['   '],
      ['x'.repeat(41)],
      Array.from({ length: 21 }, (_, n) => `t${n}`),
      'work',
    ])
      expect((await change(one, { tags })).status).toBe(400)
  })
})

describe('a session that was put away', () => {
  it('is left out of lists until they ask for it, and comes back', async () => {
    const one = await make('one')
    await make('two')
    expect((await change(one, { archived: true })).body).toMatchObject({ archived: true })
    expect(await titles()).toEqual(['two'])
    expect(await titles('?archived=true')).toEqual(['one'])
    expect((await running.json('GET', `/api/sessions/${one}`)).status).toBe(200)
    await change(one, { archived: false })
    expect(await titles()).toEqual(['one', 'two'])
    expect(await titles('?archived=true')).toEqual([])
  })
})
