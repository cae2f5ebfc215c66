import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { createClient, type SessionSnapshot } from '../src/index.ts'
import { broken, fakeFetch, note, openStream, refuse } from './fake-fetch.ts'

const clientOf = (fetch: typeof globalThis.fetch) =>
  createClient({ fetch, backoff: { baseMs: 1, maxMs: 2 }, frameMs: 1 })
const head = (at: number) => (snapshot: SessionSnapshot) => snapshot.view.head === at

/** Lets everything that is at hand be read. */
async function breathe(): Promise<void> {
  for (let n = 0; n < 20; n++) await turn()
}

describe('a live session over connections', () => {
  it('reports the state of the connection and resumes where it was lost', async () => {
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
    expect(seen[1]?.url.searchParams.get('after')).toBe('s.2.0')
    release()
    live.close()
  })

  it('starts again when the log is another one, also when the records come in one piece', async () => {
    const streams = [openStream(), openStream()]
    const { fetch, seen } = fakeFetch(...streams.map(one => one.answer))
    const live = clientOf(fetch).session('s')
    const release = live.open()
    await live.until(() => seen.length === 1)
    streams[0]?.write(note(1) + note(2) + note(3))
    await live.until(head(3))
    streams[0]?.fail()
    await live.until(() => seen.length === 2)
    expect(seen[1]?.headers.get('last-event-id')).toBe('s.3.0')
    streams[1]?.write(`event: log.reset\ndata: {"type":"log.reset","session_id":"s","head":2}\n\n${note(1)}`)
    await live.until(head(1))
    streams[1]?.write(note(2))
    await live.until(head(2))
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

  it('aborts waiting on request', async () => {
    const { fetch } = fakeFetch(openStream().answer)
    const live = clientOf(fetch).session('s')
    const controller = new AbortController()
    const waiting = live.until(() => false, controller.signal)
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
    live.close()
  })

  it('publishes a long history when it is read, or now and then, not piece by piece', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { answer, write } = openStream({ 'x-session-head': '2000' })
      const live = clientOf(fakeFetch(answer).fetch).session('s')
      const heads = new Set<number>()
      live.subscribe(() => heads.add(live.getSnapshot().view.head))
      const opened = await live.until(({ connection }) => connection.state === 'catching_up')
      expect(opened.connection.behind).toBe(2000)
      for (let seq = 1; seq <= 1000; seq++) write(note(seq))
      await breathe()
      vi.advanceTimersByTime(400)
      expect([...heads]).toEqual([0])
      vi.advanceTimersByTime(100)
      expect([...heads]).toEqual([0, 1000])
      expect(live.getSnapshot().connection).toEqual({ state: 'catching_up', attempt: 0, behind: 1000 })
      for (let seq = 1001; seq <= 2000; seq++) write(note(seq))
      // No silence is waited for: the last record is known by its number.
      const { connection } = await live.until(head(2000))
      expect(connection).toEqual({ state: 'live', attempt: 0 })
      expect([...heads]).toEqual([0, 1000, 2000])
      live.close()
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a message that could not be sent', () => {
  const sent = () => new Response('')
  const keysOf = (seen: readonly { readonly headers: Headers }[]) =>
    seen.map(request => request.headers.get('idempotency-key'))

  it('keeps its key when it is sent again, and only then', async () => {
    const { fetch, seen } = fakeFetch(broken, broken, sent, sent)
    const live = clientOf(fetch).session('s')
    const send = (text: string) => live.send(text).catch(() => undefined)
    await send('first')
    await send('second')
    await send('second')
    await send('second')
    const [first, second, again, anew] = keysOf(seen)
    expect(seen).toHaveLength(4)
    expect(again).toBe(second)
    expect(new Set([first, second, anew]).size).toBe(3)
  })

  it('is not taken for one in progress', async () => {
    const { fetch, seen } = fakeFetch(sent)
    const live = clientOf(fetch).session('s')
    await Promise.all([live.send('twice'), live.send('twice')])
    expect(new Set(keysOf(seen)).size).toBe(2)
  })
})
