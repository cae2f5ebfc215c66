import { describe, expect, it } from 'vitest'
import { createClient, type SessionSnapshot } from '../src/index.ts'
import { fakeFetch, note, openStream, refuse } from './fake-fetch.ts'

const clientOf = (fetch: typeof globalThis.fetch) =>
  createClient({ fetch, backoff: { baseMs: 1, maxMs: 2 }, frameMs: 1 })
const head = (at: number) => (snapshot: SessionSnapshot) => snapshot.view.head === at

describe('a live session over connections', () => {
  it('tells how the connection stands and reads on where it was lost', async () => {
    const first = openStream()
    const second = openStream()
    let back: () => void = () => {}
    const gone = new Promise<void>(resolve => {
      back = resolve
    })
    const { fetch, seen } = fakeFetch(first.answer, async (request, signal) => {
      await gone
      return await second.answer(request, signal)
    })
    const live = clientOf(fetch).session('s')
    expect(live.getSnapshot().connection.state).toBe('idle')
    const release = live.open()
    await live.until(({ connection }) => connection.state === 'catching_up')
    first.write(note(1))
    await live.until(snapshot => head(1)(snapshot) && snapshot.connection.state === 'live')
    first.fail()
    const lost = await live.until(({ connection }) => connection.state === 'reconnecting')
    expect(lost.connection).toMatchObject({ attempt: 1, error: { code: 'network' } })
    back()
    await live.until(({ connection }) => connection.state === 'catching_up')
    second.write(note(2))
    await live.until(head(2))
    expect(seen[1]?.headers.get('last-event-id')).toBe('s.1.0')
    expect(seen[1]?.url.searchParams.get('follow')).toBe('true')
    release()
    live.close()
  })

  it('does not read again what it has when it is opened again', async () => {
    const streams = [openStream(), openStream()]
    const { fetch, seen } = fakeFetch(...streams.map(one => one.answer))
    const live = clientOf(fetch).session('s')
    const connected = live.until(
      ({ connection }) => connection.state !== 'idle' && connection.state !== 'connecting',
    )
    await connected
    streams[0]?.write(note(1) + note(2))
    await live.until(head(2))
    live.close()
    expect(live.getSnapshot().view.head).toBe(2)
    const release = live.open()
    await live.until(() => seen.length === 2)
    expect(seen[1]?.url.searchParams.get('after')).toBe('2')
    release()
    live.close()
  })

  it('can be opened again after a refusal', async () => {
    const later = openStream()
    const { fetch } = fakeFetch(refuse('unauthorized', 401), later.answer)
    const live = clientOf(fetch).session('s')
    await expect(live.until(() => false)).rejects.toMatchObject({ code: 'unauthorized', status: 401 })
    expect(live.getSnapshot().connection).toMatchObject({ state: 'closed', error: { status: 401 } })
    const reading = live.until(({ connection }) => connection.state === 'catching_up')
    await reading
    live.close()
  })

  it('gives up waiting when told to', async () => {
    const { fetch } = fakeFetch(openStream().answer)
    const live = clientOf(fetch).session('s')
    const controller = new AbortController()
    const waiting = live.until(() => false, controller.signal)
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
    live.close()
  })
})
