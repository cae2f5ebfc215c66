import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DOOR } from './door.ts'
import { type Running, startServer } from './start-server.ts'

let running: Running
beforeEach(async () => {
  running = await startServer()
})
afterEach(async () => {
  await running.close()
})

describe('readiness', () => {
  it('is over for good once the server retires, while it still lives and answers', async () => {
    running.server.retire()
    const ready = await running.json('GET', '/readyz')
    expect([ready.status, ready.body.error.code]).toEqual([503, 'shutting_down'])
    for (const path of ['/healthz', '/api/sessions'])
      expect((await running.json('GET', path)).status).toBe(200)
  })

  it('ends with the acceptance of streams: a message whose response could not be read is not stored', async () => {
    const id = await running.newSession()
    const before = await running.store.read(id, 0, 100)
    running.server.retire()
    expect((await running.chat({ session_id: id, message: 'echo' })).status).toBe(503)
    expect((await running.json('GET', `/api/sessions/${id}/events?follow=1`)).status).toBe(503)
    expect(await running.store.read(id, 0, 100)).toEqual(before)
  })

  it('needs a store that answers in time and without an error', async () => {
    const code = async () => (await running.json('GET', '/readyz')).body.error?.code
    running.store.list = () => Promise.reject(new Error('gone'))
    expect(await code()).toBe('storage_error')
    running.store.list = () => new Promise(() => {})
    expect(await code()).toBe('storage_error')
  })
})

describe('closing the server', () => {
  it('answers the request in flight, then accepts no more', async () => {
    const id = await running.newSession()
    const list = running.store.list.bind(running.store)
    let entered: () => void = () => {}
    let leave: () => void = () => {}
    const inside = new Promise<void>(resolve => {
      entered = resolve
    })
    const gate = new Promise<void>(resolve => {
      leave = resolve
    })
    running.store.list = async query => {
      entered()
      await gate
      return await list(query)
    }
    const answer = new Promise<number>((resolve, reject) => {
      request(`${running.url}/api/sessions/${id}`, response => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
        .on('error', reject)
        .end()
    })
    await inside
    const closed = running.server.close()
    leave()
    expect(await answer).toBe(200)
    await closed
    // The listener of a host is its own.
    if (DOOR === 'listen') await expect(fetch(`${running.url}/health`)).rejects.toThrow()
  })

  it('may be asked for twice, and leaves no stream behind', async () => {
    const id = await running.newSession()
    const stream = await fetch(`${running.url}/api/sessions/${id}/events?follow=true`)
    await Promise.all([running.server.close(), running.server.close()])
    await expect(stream.text()).rejects.toThrow()
    expect(running.server.context.streams.size()).toBe(0)
  })
})
