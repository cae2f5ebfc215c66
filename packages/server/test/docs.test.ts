import { readFileSync } from 'node:fs'
import { SessionEvent } from '@toolwire/core/schema'
import { afterEach, describe, expect, it } from 'vitest'
import { type Running, startServer } from './start-server.ts'

const SESSION = '550e8400-e29b-41d4-a716-446655440000'
const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

let running: Running | undefined
afterEach(async () => {
  await running?.close()
})

describe('docs/session-ids.md', () => {
  it('shows sessions as the server does, before and after a run', async () => {
    running = await startServer()
    const events = read('packages/wire/test/chat/cases/documented.events.jsonl')
      .trimEnd()
      .split('\n')
      .map(line => SessionEvent.parse(JSON.parse(line)))
    const told = [...read('docs/session-ids.md').matchAll(/^```json session (\w+)\n([\s\S]*?)^```$/gm)]
    expect(told.map(([, when]) => when)).toEqual(['created', 'documented'])
    await running.store.append([{ session: SESSION, create: true, events: events.slice(0, 1) }])
    expect((await running.json('GET', `/api/sessions/${SESSION}`)).body).toMatchObject(
      JSON.parse(told[0]?.[2] ?? ''),
    )
    await running.store.append([{ session: SESSION, events: events.slice(1) }])
    expect((await running.json('GET', `/api/sessions/${SESSION}`)).body).toMatchObject(
      JSON.parse(told[1]?.[2] ?? ''),
    )
  })

  it('shows refusals in the shape that the server gives them', async () => {
    running = await startServer()
    const block = /^```json\n(\{\n {2}"error"[\s\S]*?)^```$/m.exec(read('docs/streaming-api.md'))?.[1] ?? ''
    const told = JSON.parse(block)
    const { body } = await running.json('GET', '/api/sessions/nope')
    expect({ error: { ...body.error, request_id: told.error.request_id } }).toEqual(told)
  })
})
