/** One call over HTTP: stopping it, its whole output, and trying a tool. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBuiltinTools, createToolSystem, tryModel } from '@toolwire/tools'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Running, startServer } from './start-server.ts'

let dir = ''
let running: Running | undefined
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'toolwire-calls-'))
})
afterEach(async () => {
  await running?.close()
  running = undefined
  rmSync(dir, { recursive: true, force: true })
})

async function open(config: Parameters<typeof startServer>[0] = {}): Promise<Running> {
  running = await startServer(config)
  return running
}

async function paused(server: Running) {
  const id = await server.newSession()
  await (await server.chat({ session_id: id, message: 'client' })).text()
  const { body } = await server.json('GET', `/api/sessions/${id}`)
  return { id, pending: body.pending as readonly { readonly call_id: string }[] }
}

describe('POST /api/sessions/:id/calls/:call/cancel', () => {
  const path = (id: string, call: string | undefined) => `/api/sessions/${id}/calls/${call}/cancel`

  test('stops that call alone; a second request changes nothing, and one for an ended call says so', async () => {
    const server = await open()
    const { id, pending } = await paused(server)
    expect(pending).toHaveLength(2)
    const first = await server.json('POST', path(id, pending[0]?.call_id), { reason: 'no need' })
    expect(first).toMatchObject({ status: 200, body: { call_id: pending[0]?.call_id, cancelled: true } })
    await server.json('POST', path(id, pending[0]?.call_id))
    await server.settled()
    const cancels = (await server.store.read(id, 0, 1000)).filter(rec => rec.ev.type === 'input.cancel')
    expect(cancels).toHaveLength(1)
    expect(cancels[0]?.ev).toMatchObject({ call_id: pending[0]?.call_id, reason: 'no need' })
    expect((await server.json('GET', `/api/sessions/${id}`)).body.pending).toHaveLength(1)
  })

  test('an unknown call and an unknown session are not found', async () => {
    const server = await open()
    const { id } = await paused(server)
    expect(await server.json('POST', path(id, 'toolu_none'))).toMatchObject({
      status: 404,
      body: { error: { code: 'call_not_found' } },
    })
    expect((await server.json('POST', path('nobody', 'x'))).status).toBe(404)
  })
})

describe('GET /api/sessions/:id/artifacts/:call', () => {
  const text = 'line one\nline two 你好\n'
  async function withOutput() {
    const server = await open({ artifactFile: (session, call) => join(dir, `${session}-${call}.log`) })
    const id = await server.newSession()
    writeFileSync(join(dir, `${id}-c1.log`), text)
    const get = (range?: string, call = 'c1') =>
      fetch(`${server.url}/api/sessions/${id}/artifacts/${call}`, {
        headers: range === undefined ? {} : { range },
      })
    return { server, id, get }
  }

  test('the whole output comes as plain text', async () => {
    const { get } = await withOutput()
    const response = await get()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('accept-ranges')).toBe('bytes')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await response.text()).toBe(text)
  })

  test.each([
    ['bytes=0-7', 'line one', '0-7'],
    ['bytes=9-12', 'line', '9-12'],
    ['bytes=-1', '\n', '24-24'],
    ['bytes=18-999', '你好\n', '18-24'],
  ])('the range %s is answered with its bytes', async (range, expected, told) => {
    const { get } = await withOutput()
    const response = await get(range)
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${told}/25`)
    expect(await response.text()).toBe(expected)
  })

  test('a link or a pipe in the place of an output is not read', async () => {
    const { get, id } = await withOutput()
    writeFileSync(join(dir, 'secret.txt'), 'secret')
    symlinkSync(join(dir, 'secret.txt'), join(dir, `${id}-link.log`))
    execFileSync('mkfifo', [join(dir, `${id}-pipe.log`)])
    expect((await get(undefined, 'link')).status).toBe(404)
    expect((await get(undefined, 'pipe')).status).toBe(404)
  })

  test('a range beyond the end is refused with the size; one of another form is ignored', async () => {
    const { get } = await withOutput()
    const beyond = await get('bytes=100-')
    expect(beyond.status).toBe(416)
    expect(beyond.headers.get('content-range')).toBe('bytes */25')
    expect((await get('bytes=5-2')).status).toBe(200)
    expect((await get('lines=1-2')).status).toBe(200)
  })

  test('no output, no session, no such setting: 404 each', async () => {
    const { server, get } = await withOutput()
    expect((await get(undefined, 'c2')).status).toBe(404)
    expect((await fetch(`${server.url}/api/sessions/nobody/artifacts/c1`)).status).toBe(404)
    await server.close()
    const plain = await open()
    const id = await plain.newSession()
    expect((await fetch(`${plain.url}/api/sessions/${id}/artifacts/c1`)).status).toBe(404)
  })
})

describe('POST /api/tools/:name/try', () => {
  async function trying() {
    const tools = createBuiltinTools()
    running = await startServer(
      {
        workspace: dir,
        canTry: true,
        listTools: () => tools.map(({ name, input_schema }) => ({ name, input_schema })),
      },
      { tools: createToolSystem({ tools, artifacts: join(dir, 'artifacts') }), model: tryModel },
    )
    return running
  }

  test('a read-only call gives its result, in a session that shows it', async () => {
    const server = await trying()
    writeFileSync(join(dir, 'a.txt'), 'hello')
    const { status, body } = await server.json('POST', '/api/tools/Read/try', {
      input: { file_path: join(dir, 'a.txt') },
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({ status: 'completed', pending: [], result: { is_error: false } })
    expect(body.result.output_text).toContain('hello')
    const events = (await server.store.read(body.session_id, 0, 1000)).map(rec => rec.ev.type)
    expect(events).toContain('tool.ready')
    expect(events.at(-1)).toBe('run.completed')
  })

  test('a call that must be asked about is asked about; its approval runs it', async () => {
    const server = await trying()
    const input = { file_path: join(dir, 'b.txt'), content: 'new' }
    const { body } = await server.json('POST', '/api/tools/Write/try', { input })
    expect(body).toMatchObject({ status: 'pending', pending: [{ kind: 'approval', name: 'Write' }] })
    await server.json('POST', `/api/approvals/${body.pending[0].id}`, { decision: 'approved' })
    await server.settled()
    const ends = (await server.store.read(body.session_id, 0, 1000)).filter(
      rec => rec.ev.type === 'tool.completed',
    )
    expect(ends).toHaveLength(1)
  })

  test('arguments that do not fit come back as the failure that a model would see', async () => {
    const server = await trying()
    const { body } = await server.json('POST', '/api/tools/Read/try', { input: { path: 1 } })
    expect(body).toMatchObject({ status: 'failed', result: { error: { code: 'invalid_input' } } })
  })

  test('an unknown tool makes no session', async () => {
    const server = await trying()
    expect((await server.json('POST', '/api/tools/Nothing/try', { input: {} })).status).toBe(404)
    expect((await server.json('GET', '/api/sessions')).body.sessions).toEqual([])
  })
})
