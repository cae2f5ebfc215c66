/** A hidden page. The document is a fake; everything else is the client's own. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Client, createClient, type LiveSession } from '../src/index.ts'
import { fakeFetch, note, openStream } from './fake-fetch.ts'

const page = Object.assign(new EventTarget(), { hidden: false })
const show = (visible: boolean): void => {
  page.hidden = !visible
  page.dispatchEvent(new Event('visibilitychange'))
}
const streams = [openStream(), openStream()]
const HIDDEN_MS = 60_000

let client: Client
let live: LiveSession
let seen: ReturnType<typeof fakeFetch>['seen']
beforeEach(async () => {
  // Only the page watcher uses them.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  Object.assign(globalThis, { document: page })
  page.hidden = false
  const fake = fakeFetch(...streams.map(stream => stream.answer))
  seen = fake.seen
  client = createClient({
    fetch: fake.fetch,
    frameMs: 1,
    hiddenMs: HIDDEN_MS,
    backoff: { baseMs: 1, maxMs: 2 },
  })
  live = client.session('s')
  live.subscribe(() => {})
  await live.until(({ connection }) => connection.state === 'catching_up')
  streams[0]?.write(note(1))
  await live.until(({ view, connection }) => view.head === 1 && connection.state === 'live')
})
afterEach(() => {
  client.close()
  Reflect.deleteProperty(globalThis, 'document')
  vi.useRealTimers()
})

const eventually = (read: () => unknown) => expect.poll(read)
const state = () => live.getSnapshot().connection.state
/** Long enough for the page to have let go several times over, by the clock of the page alone. */
const aWhile = async (): Promise<void> => {
  vi.advanceTimersByTime(10 * HIDDEN_MS)
  await new Promise(resolve => setImmediate(resolve))
}
/** The page goes out of sight for long enough. */
const hide = async (): Promise<void> => {
  show(false)
  await aWhile()
}

describe('a session on a page out of sight', () => {
  it('lets go of its connection, and reads on behind what it has when the page is shown', async () => {
    await hide()
    await eventually(state).toBe('idle')
    expect(seen).toHaveLength(1)
    show(true)
    await eventually(() => seen.length).toBe(2)
    expect(seen[1]?.url.searchParams.get('after')).toBe('s.1.0')
    streams[1]?.write(note(2))
    await live.until(({ view }) => view.head === 2)
  })

  it('keeps it while something waits, and while the page offers a tool', async () => {
    show(false)
    const arrived = live.until(({ view }) => view.head === 2)
    await aWhile()
    streams[0]?.write(note(2))
    await arrived
    const unregister = live.registerTool('paint', { handler: () => 'ok' })
    await aWhile()
    expect(state()).toBe('live')
    unregister()
    await aWhile()
    await eventually(state).toBe('idle')
    expect(seen).toHaveLength(1)
  })

  it('reconnects for a message that is sent meanwhile', async () => {
    await hide()
    await eventually(state).toBe('idle')
    await live.send('hello').catch(() => {})
    expect(seen.map(request => request.method).sort()).toEqual(['GET', 'GET', 'POST'])
  })

  it('sends no request when it is no longer held', async () => {
    await hide()
    await eventually(state).toBe('idle')
    client.close()
    show(true)
    await aWhile()
    expect(seen).toHaveLength(1)
  })
})
