import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Running, startServer } from './start-server.ts'

let running: Running
beforeEach(async () => {
  running = await startServer()
})
afterEach(async () => {
  await running.close()
})

describe('closing the server', () => {
  it('answers the request that is under way, then takes no more', async () => {
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
    await expect(fetch(`${running.url}/health`)).rejects.toThrow()
  })

  it('may be asked for twice, and leaves no stream behind', async () => {
    const id = await running.newSession()
    const stream = await fetch(`${running.url}/api/sessions/${id}/events?follow=true`)
    await Promise.all([running.server.close(), running.server.close()])
    await expect(stream.text()).rejects.toThrow()
    expect(running.server.context.streams.size()).toBe(0)
  })
})
