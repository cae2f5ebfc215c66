/** The client against the real server: a store in memory, a scripted model, real sockets. */
import { applyRecords, emptyView, type SessionView } from '@toolwire/core/view'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Client,
  createClient,
  type LiveSession,
  type SendResult,
  type SessionSnapshot,
  ToolwireError,
} from '../src/index.ts'
import { startProxy } from './cutting-proxy.ts'
import { type Running, startServer } from './start-server.ts'

let server: Running
const clients: Client[] = []

beforeAll(async () => {
  server = await startServer()
})
afterAll(async () => {
  for (const client of clients) client.close()
  await server.close()
})

function newClient(baseUrl = server.url): Client {
  const client = createClient({ baseUrl, backoff: { baseMs: 1, maxMs: 8 }, retries: 30, frameMs: 1 })
  clients.push(client)
  return client
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const turnsEnded = (count: number) => (snapshot: SessionSnapshot) =>
  snapshot.view.turns.length === count &&
  snapshot.view.turns.every(turn => turn.state !== 'running' && turn.state !== 'paused')

/** The view of a client that was never disconnected. */
async function uncut(session: string): Promise<SessionView> {
  return applyRecords(emptyView(), await server.store.read(session, 0, 10_000))
}
async function expectUncut(live: LiveSession, snapshot: SessionSnapshot): Promise<void> {
  const whole = await uncut(live.id)
  const same = await live.until(({ view }) => view.head >= whole.head)
  expect(plain(same.view)).toEqual(plain(whole))
  expect(snapshot.view.head).toBeLessThanOrEqual(whole.head)
}

describe('a live session', () => {
  it('shows a message as it arrives, and the history to a later reader', async () => {
    const client = newClient()
    const { id } = await client.sessions.create({ title: 'mine' })
    const live = client.session(id)
    await live.send('echo')
    const done = await live.until(turnsEnded(1))
    const [text] = [...done.view.blocks.values()]
    expect(text).toMatchObject({ kind: 'text', text: 'echo', state: 'complete' })
    const later = await newClient().session(id).until(turnsEnded(1))
    await expectUncut(newClient().session(id), later)
    expect(later.view.info.title).toBe('mine')
  })

  it('keeps the same snapshot until it notifies its listeners', async () => {
    const client = newClient()
    const { id } = await client.sessions.create()
    const live = client.session(id)
    const before = live.getSnapshot()
    const seen: SessionSnapshot[] = []
    const leave = live.subscribe(() => seen.push(live.getSnapshot()))
    expect(live.getSnapshot()).toBe(before)
    await live.send('long 50')
    await live.until(turnsEnded(1))
    leave()
    expect(new Set(seen).size).toBe(seen.length)
    expect(client.session(id)).toBe(live)
  })

  it('is live, then idle when it is not held, and continues where it stopped', async () => {
    const client = newClient()
    const { id } = await client.sessions.create()
    const live = client.session(id)
    await live.until(({ connection }) => connection.state === 'live')
    live.close()
    await client.send(id, 'echo')
    const done = await live.until(turnsEnded(1))
    await expectUncut(live, done)
  })

  it('says when the session does not exist or was deleted', async () => {
    const client = newClient()
    await expect(client.session('nothing').until(() => false)).rejects.toMatchObject({ status: 404 })
    const { id } = await client.sessions.create()
    const live = client.session(id)
    await live.until(({ connection }) => connection.state === 'live')
    await client.sessions.delete(id)
    const closed = await live.until(({ connection }) => connection.state === 'closed')
    expect(closed.connection.error).toMatchObject({ code: 'session_deleted', status: 410 })
  })

  it('is cancelled by a command, not by leaving', async () => {
    const client = newClient()
    const { id } = await client.sessions.create()
    const live = client.session(id)
    await live.send('wait')
    await live.until(({ view }) => [...view.blocks.values()].some(block => block.text === 'wait'))
    live.close()
    expect((await client.sessions.get(id)).status).toBe('running')
    expect(await client.sessions.cancel(id)).toBe(true)
    const done = await live.until(turnsEnded(1))
    expect(done.view.turns[0]?.state).toBe('cancelled')
  })
})

describe('approvals', () => {
  const waiting = async (client: Client) => {
    const { id } = await client.sessions.create()
    const live = client.session(id)
    await live.send('ask')
    const { view } = await live.until(snapshot => snapshot.view.pending.length === 1)
    return { live, approval: view.pending[0]?.id ?? '' }
  }

  it('changes the view only when the log says so, and in every tab', async () => {
    const client = newClient()
    const { live, approval } = await waiting(client)
    const tab = newClient().session(live.id)
    await tab.until(({ view }) => view.pending.length === 1)
    expect(
      (await client.pending(500)).some(item => item.id === approval && item.session_id === live.id),
    ).toBe(true)
    expect(await client.approve(approval)).toMatchObject({ decision: 'approved', first: true })
    for (const one of [live, tab]) {
      const { view } = await one.until(turnsEnded(1))
      expect([...view.calls.values()]).toMatchObject([
        { state: 'success', approval: { decision: 'approved' } },
      ])
    }
  })

  it('gives the first decision to every caller', async () => {
    const client = newClient()
    const { live, approval } = await waiting(client)
    expect(await client.deny(approval, 'not now')).toMatchObject({ decision: 'denied', first: true })
    expect(await client.approve(approval)).toMatchObject({ decision: 'denied', first: false })
    const { view } = await live.until(turnsEnded(1))
    expect([...view.calls.values()]).toMatchObject([{ state: 'denied', approval: { reason: 'not now' } }])
  })
})

describe('verbs of an approval', () => {
  const answered = async (act: (client: Client, approval: string) => Promise<unknown>) => {
    const client = newClient()
    const live = client.session((await client.sessions.create()).id)
    await live.send('ask')
    const { view } = await live.until(snapshot => snapshot.view.pending.length === 1)
    await act(client, view.pending[0]?.id ?? '')
    const done = await live.until(turnsEnded(1))
    return [...done.view.calls.values()][0]
  }

  it('runs edited arguments', async () => {
    const call = await answered((client, id) => client.approve(id, { input: { n: 7 } }))
    expect(call).toMatchObject({ state: 'success', input: { n: 7 }, result: { output_text: 'ran {"n":7}' } })
  })

  it('answers instead of running', async () => {
    const call = await answered((client, id) => client.answer(id, 'use the other one'))
    expect(call?.result?.output_text).toContain('use the other one')
    expect(call?.result?.output_text).not.toContain('ran')
  })
})

describe('client tools', () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } } }

  it('runs every call once and answers by itself, errors too', async () => {
    const client = newClient()
    const { id } = await client.sessions.create()
    const live = client.session(id)
    const inputs: unknown[] = []
    live.registerTool('pick', {
      input_schema: schema,
      handler(input) {
        inputs.push(input)
        if (inputs.length === 2) throw new Error('broken on purpose')
        return { picked: true }
      },
    })
    await live.send('client')
    const { view } = await live.until(turnsEnded(1))
    expect(inputs).toHaveLength(2)
    expect([...view.calls.values()].map(call => [call.state, call.result?.output_text]).sort()).toEqual([
      ['failed', 'broken on purpose'],
      ['success', '{"picked":true}'],
    ])
  })

  it('runs calls at the same time', async () => {
    const client = newClient()
    const live = client.session((await client.sessions.create()).id)
    let running = 0
    let both: () => void = () => {}
    const met = new Promise<void>(resolve => {
      both = resolve
    })
    live.registerTool('pick', {
      input_schema: schema,
      async handler() {
        running += 1
        if (running === 2) both()
        // Neither returns before both have begun.
        await met
        return 'ok'
      },
    })
    await live.send('client')
    await live.until(turnsEnded(1))
    expect(running).toBe(2)
  })

  it('resumes waiting calls when the page is reloaded, and none that was answered', async () => {
    const first = newClient()
    const { id } = await first.sessions.create()
    const tools = [{ name: 'pick', input_schema: schema }]
    await first.send(id, 'client', { tools })
    const { view } = await first.session(id).until(({ view: v }) => v.pending.length === 2)
    const [one, two] = view.pending
    await first.sessions.toolOutputs(id, [{ call_id: one?.call_id ?? '', output: 'by hand' }])
    first.close()
    const ran: string[] = []
    const reloaded = newClient().session(id)
    reloaded.registerTool('pick', { handler: (_, call) => ran.push(call.call_id) && 'after reload' })
    await reloaded.until(turnsEnded(1))
    expect(ran).toEqual([two?.call_id])
  })

  it('runs a call in one of two tabs', async () => {
    const tabs = [newClient(), newClient()]
    const { id } = await newClient().sessions.create()
    const ran: string[] = []
    for (const tab of tabs)
      tab.session(id).registerTool('pick', {
        input_schema: schema,
        async handler(_, call) {
          ran.push(call.call_id)
          return 'ok'
        },
      })
    await Promise.all(tabs.map(tab => tab.session(id).until(({ connection }) => connection.state === 'live')))
    await tabs[0]?.session(id).send('client')
    await Promise.all(tabs.map(tab => tab.session(id).until(turnsEnded(1))))
    expect(ran).toHaveLength(2)
    expect(new Set(ran).size).toBe(2)
  })

  it('notifies a handler that its output is no longer needed', async () => {
    const client = newClient()
    const live = client.session((await client.sessions.create()).id)
    const aborted: Promise<void>[] = []
    const begun = new Promise<void>(resolve => {
      live.registerTool('pick', {
        input_schema: schema,
        handler(_, { signal }) {
          const end = new Promise<void>(done => {
            signal.addEventListener('abort', () => done())
          })
          if (aborted.push(end) === 2) resolve()
          return end
        },
      })
    })
    await live.send('client')
    await begun
    await client.sessions.cancel(live.id)
    await Promise.all(aborted)
    const { view } = await live.until(turnsEnded(1))
    expect([...view.calls.values()].map(call => call.state)).toEqual(['cancelled', 'cancelled'])
  })
})

describe('sessions', () => {
  it('lists, finds, renames, forks, exports and deletes', async () => {
    const client = newClient()
    const { id } = await client.sessions.create({ title: 'zebra crossing' })
    await client.send(id, 'echo')
    await client.session(id).until(turnsEnded(1))
    expect((await client.sessions.list({ text: 'zebra' })).sessions.map(session => session.id)).toEqual([id])
    expect((await client.sessions.rename(id, 'renamed')).title).toBe('renamed')
    const fork = await client.sessions.fork(id)
    const forked = await client.session(fork.id).until(turnsEnded(1))
    expect(forked.view.info.forked_from?.session_id).toBe(id)
    expect((await client.sessions.export(id)).events.length).toBeGreaterThan(5)
    expect((await client.sessions.messages(id)).map(message => message.role)).toEqual(['user', 'assistant'])
    await client.sessions.delete(id)
    await expect(client.sessions.get(id)).rejects.toMatchObject({ code: 'session_deleted', retryable: false })
  })

  it('makes one session when the answer to its creation is lost', async () => {
    const proxy = await startProxy(server.url, [10, 0])
    try {
      const before = (await newClient().sessions.list({ limit: 100 })).sessions.length
      const { id } = await newClient(proxy.url).sessions.create({ title: 'once' })
      const after = (await newClient().sessions.list({ limit: 100 })).sessions
      expect(after.filter(session => session.id === id)).toHaveLength(1)
      expect(after).toHaveLength(before + 1)
    } finally {
      await proxy.close()
    }
  })

  it('reads another wire to its end', async () => {
    const client = newClient()
    const { id } = await client.sessions.create()
    await client.send(id, 'echo')
    await client.session(id).until(turnsEnded(1))
    const types: unknown[] = []
    for await (const frame of client.frames(id, 'chat', { follow: false }))
      types.push(JSON.parse(frame.data).type)
    expect(types.at(0)).toBe('system')
    expect(types.at(-1)).toBe('done')
  })
})

/** As a user who presses the button again without a response. */
async function sendAtLast(live: LiveSession, text: string): Promise<SendResult> {
  for (;;) {
    const sent = await live.send(text).catch((error: unknown) => {
      if (!(error instanceof ToolwireError && error.retryable)) throw error
    })
    if (sent) return sent
  }
}

describe('with connections that break', () => {
  const cut = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -1, max: 600 }) },
    { weight: 2, arbitrary: fc.integer({ min: 600, max: 12_000 }) },
  )

  it('ends with the view of an uncut reader, sends every message once, runs every call once and decides once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { maxLength: 14 }), async cuts => {
        const proxy = await startProxy(server.url, cuts)
        const client = newClient(proxy.url)
        try {
          const live = client.session((await client.sessions.create()).id)
          const ran: string[] = []
          live.registerTool('pick', {
            input_schema: { type: 'object' },
            handler: (_, call) => ran.push(call.call_id) && `out ${call.call_id}`,
          })
          const sent = [await sendAtLast(live, 'long 40')]
          await live.until(turnsEnded(1))
          proxy.breakAll()
          sent.push(await sendAtLast(live, 'client'))
          await live.until(turnsEnded(2))
          proxy.breakAll()
          sent.push(await sendAtLast(live, 'ask'))
          const { view } = await live.until(snapshot => snapshot.view.pending.length === 1)
          const decided = await client.approve(view.pending[0]?.id ?? '', { input: { n: 3 } })
          expect(decided.decision).toBe('approved')
          const done = await live.until(turnsEnded(3))
          await expectUncut(live, done)
          expect(done.view.turns.map(turn => turn.state)).toEqual(['completed', 'completed', 'completed'])
          expect([...done.view.calls.values()].at(-1)).toMatchObject({
            state: 'success',
            result: { output_text: 'ran {"n":3}' },
          })
          expect(ran).toHaveLength(2)
          expect(new Set(ran).size).toBe(2)
          const log = await server.store.read(live.id, 0, 10_000)
          // Words of the server, such as the note about the changed call, have the role system.
          const isUsers = ({ ev }: (typeof log)[number]) => ev.type !== 'input.message' || ev.role === 'user'
          const count = (type: string) => log.filter(rec => rec.ev.type === type && isUsers(rec)).length
          expect([count('input.message'), count('input.tool_output'), count('input.approval')]).toEqual([
            3, 2, 1,
          ])
          const posts = proxy.posts()
          expect(posts.every(post => post.key !== undefined)).toBe(true)
          const keys = new Set(posts.filter(post => post.path === '/api/chat/stream').map(post => post.key))
          expect([...keys].sort()).toEqual(sent.map(one => one.idempotency_key).sort())
        } finally {
          client.close()
          await proxy.close()
        }
      }),
      { numRuns: 25 },
    )
  })
})
