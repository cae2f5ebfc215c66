import type { SessionEvent } from '@toolwire/core'
import { afterEach, describe, expect, test } from 'vitest'
import { type Running, startServer } from './start-server.ts'

let running: Running | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

async function open(config: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer(config)
  running = server
  const id = await server.newSession()
  const say = async (message: string, more: object = {}): Promise<void> => {
    await (await server.chat({ session_id: id, message, ...more })).text()
    await server.settled()
  }
  const at = `/api/sessions/${id}`
  const post = (path: string, body?: unknown, headers?: Record<string, string>) =>
    server.json('POST', at + path, body, headers)
  const texts = async (branch?: string) => {
    const { body } = await server.json('GET', `${at}/messages${branch ? `?branch=${branch}` : ''}`)
    return body.messages.map((message: { role: string; content: { text?: string }[] }) =>
      message.content.map(part => part.text).join(''),
    )
  }
  const events = async (): Promise<readonly SessionEvent[]> =>
    (await server.store.read(id, 0, 10_000)).map(rec => rec.ev)
  return { ...server, id, at, say, post, texts, events }
}

describe('regenerate', () => {
  test('answers the latest message again; the earlier answer stays in its branch', async () => {
    const { say, post, texts, json, at, settled, events } = await open()
    await say('echo one')
    await say('echo two')
    const { status, body } = await post('/regenerate')
    expect(status).toBe(201)
    expect(body).toMatchObject({
      branch_id: expect.stringMatching(/^br_/),
      effects: { files: [] },
      queued: [],
    })
    await settled()
    expect(await texts()).toEqual(['echo one', 'echo one', 'echo two', 'echo two'])
    const list = (await json('GET', `${at}/branches`)).body
    expect(list.active).toBe(body.branch_id)
    expect(list.branches).toMatchObject([
      { branch_id: 'main', parent_branch_id: null },
      { branch_id: body.branch_id, parent_branch_id: 'main', reason: 'regenerate' },
    ])
    const starts = (await events()).flatMap(ev => (ev.type === 'run.started' ? [ev.trigger] : []))
    expect(starts).toEqual(['message', 'message', 'regenerate'])
  })

  test('of an earlier message leaves out what followed it', async () => {
    const { say, post, texts, events, settled } = await open()
    await say('echo one')
    await say('echo two')
    const answer = (await events()).find(ev => ev.type === 'message.started')
    await post('/regenerate', { message_id: answer?.type === 'message.started' ? answer.message_id : '' })
    await settled()
    expect(await texts()).toEqual(['echo one', 'echo one'])
    expect(await texts('main')).toEqual(['echo one', 'echo one', 'echo two', 'echo two'])
  })

  test('with one Idempotency-Key opens one branch, also while its run is in progress', async () => {
    const { say, post, events, model, settled } = await open()
    await say('echo one')
    const key = { 'idempotency-key': 'again' }
    const first = await post('/messages/none/edit', { content: 'gate' }, key)
    expect(first.status).toBe(404)
    const message = (await events()).find(ev => ev.type === 'input.message')
    const path = `/messages/${message?.type === 'input.message' ? message.message_id : ''}/edit`
    const [one, two] = [
      await post(path, { content: 'gate' }, key),
      await post(path, { content: 'gate' }, key),
    ]
    expect([one.status, two.status]).toEqual([201, 201])
    expect(two.body.branch_id).toBe(one.body.branch_id)
    expect(two.body.run_id).toBe(one.body.run_id)
    expect((await post(path, { content: 'other' }, key)).status).toBe(409)
    model.open()
    await settled()
    expect((await events()).filter(ev => ev.type === 'branch.opened')).toHaveLength(1)
  })

  test('of nothing, or of an unknown message, is refused', async () => {
    const { post, say } = await open()
    expect((await post('/regenerate')).body.error.code).toBe('message_not_found')
    await say('echo one')
    expect((await post('/regenerate', { message_id: 'none' })).status).toBe(404)
    expect((await post('/regenerate', { effect: 'keep' })).body.error.message).toContain('effect')
    expect((await post('/regenerate', { message_id: 'a\0b' })).status).toBe(400)
    expect((await post('/regenerate', { options: { 'a\ud800': 1 } })).status).toBe(400)
  })
})

describe('a running session', () => {
  test('is refused without an interrupt; with one its run ends first', async () => {
    const { chat, post, texts, id, events, settled, json, at } = await open()
    const reading = await chat({ session_id: id, message: 'gate' })
    const refused = await post('/regenerate')
    expect([refused.status, refused.body.error.code]).toEqual([409, 'session_running'])
    const message = (await events()).find(ev => ev.type === 'input.message')
    const message_id = message?.type === 'input.message' ? message.message_id : ''
    const { status } = await post(`/messages/${message_id}/edit`, {
      content: 'echo instead',
      interrupt: true,
    })
    expect(status).toBe(201)
    await reading.text()
    await settled()
    expect(await texts()).toEqual(['echo instead', 'echo instead'])
    expect((await events()).filter(ev => ev.type === 'run.cancelled')).toHaveLength(1)
    expect((await json('GET', at)).body.status).toBe('idle')
  })

  test('that is paused is not asked: what waits is withdrawn', async () => {
    const { say, post, texts, events, settled, json, at } = await open()
    await say('ask')
    expect((await json('GET', at)).body.pending).toHaveLength(1)
    const message = (await events()).find(ev => ev.type === 'input.message')
    const path = `/messages/${message?.type === 'input.message' ? message.message_id : ''}/edit`
    expect((await post(path, { content: 'echo instead' })).status).toBe(201)
    await settled()
    expect((await json('GET', at)).body.pending).toEqual([])
    expect(await texts()).toEqual(['echo instead', 'echo instead'])
  })
})

describe('select', () => {
  test('continues the branch: the next message follows its history', async () => {
    const { say, post, texts, settled, at, json } = await open()
    await say('echo one')
    const { body } = await post('/regenerate')
    await settled()
    await say('echo on the branch')
    const selected = await post('/branches/main/select')
    expect([selected.status, selected.body.active]).toEqual([200, 'main'])
    await say('echo on main')
    expect(await texts()).toEqual(['echo one', 'echo one', 'echo on main', 'echo on main'])
    expect(await texts(body.branch_id)).toEqual([
      'echo one',
      'echo one',
      'echo on the branch',
      'echo on the branch',
    ])
    expect((await json('GET', `${at}/messages?branch=none`)).body.error.code).toBe('branch_not_found')
  })

  test('of an unknown branch is 404, of a running session 409; repeating it adds nothing', async () => {
    const { say, post, chat, id, model, events, settled } = await open()
    await say('echo one')
    expect((await post('/branches/none/select')).body.error.code).toBe('branch_not_found')
    await post('/regenerate')
    await settled()
    await post('/branches/main/select')
    await post('/branches/main/select')
    expect((await events()).filter(ev => ev.type === 'branch.selected')).toHaveLength(1)
    const reading = await chat({ session_id: id, message: 'gate' })
    const { branch_id } = (await running?.json('GET', `/api/sessions/${id}/branches`))?.body.branches[1] ?? {}
    expect((await post(`/branches/${branch_id}/select`)).body.error.code).toBe('session_running')
    model.open()
    await reading.text()
  })
})

test('the 1,001st branch is refused', async () => {
  const { say, post, store, id } = await open()
  await say('echo one')
  const opened = Array.from({ length: 1000 }, (_, n) => ({
    type: 'branch.opened' as const,
    ts: '',
    branch_id: `b${n}`,
    parent_branch_id: 'main',
    after_seq: 100,
    reason: 'edit' as const,
    replaces: 'm',
  }))
  await store.append([{ session: id, events: opened }])
  const { status, body } = await post('/regenerate')
  expect([status, body.error.code]).toEqual([429, 'limit_reached'])
})

describe('effects', () => {
  const files = [{ path: '/w/a.txt', action: 'restored', call_ids: ['c'] }]
  async function withUndo() {
    const asked: unknown[] = []
    const opened = await open({
      async undo(_, request) {
        asked.push(request)
        return { dry_run: request.dryRun, files }
      },
    })
    await opened.say('echo one')
    return { ...opened, asked }
  }

  test('are listed by ask, which opens nothing', async () => {
    const { post, events, asked } = await withUndo()
    const { status, body } = await post('/regenerate', { effects: 'ask' })
    expect([status, body.effects.files]).toEqual([200, files])
    expect(asked).toMatchObject([{ dryRun: true }])
    expect((await events()).filter(ev => ev.type === 'input.message')).toHaveLength(1)
  })

  test('stay with keep, and the note for the model has their paths', async () => {
    const { post, events, asked, settled } = await withUndo()
    await post('/regenerate')
    await settled()
    expect(asked).toEqual([
      { turns: [expect.any(String)], dryRun: true },
      { turns: [expect.any(String)], dryRun: true },
    ])
    const message = (await events()).findLast(ev => ev.type === 'input.message')
    expect(message?.type === 'input.message' && message.branch?.note).toContain('/w/a.txt')
  })

  test('are taken back with restore', async () => {
    const { post, asked, settled } = await withUndo()
    expect((await post('/regenerate', { effects: 'restore' })).body.effects.files).toEqual(files)
    expect(asked[0]).toMatchObject({ dryRun: false })
    await settled()
  })
})

test('an export of one branch is a log without the others', async () => {
  const { say, post, json, at, settled } = await open()
  await say('echo shared')
  await say('echo first')
  const { body } = await post('/regenerate')
  await settled()
  await say('echo later')
  await post('/branches/main/select')
  await say('echo main only')
  const exported = async (branch: string): Promise<string> =>
    JSON.stringify((await json('GET', `${at}/export?branch=${branch}`)).body.events)
  const [main, other] = [await exported('main'), await exported(body.branch_id)]
  expect(main).toContain('main only')
  expect(main).not.toContain('echo later')
  expect(other).toContain('echo later')
  expect(other).not.toContain('main only')
  for (const one of [main, other]) {
    expect(one).toContain('echo shared')
    expect(one).not.toContain('branch')
  }
})
