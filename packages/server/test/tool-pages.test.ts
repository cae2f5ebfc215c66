/** Pages beside calls of MCP tools: what they may read and call, with a real MCP server over stdio. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMcpTools, type McpTools } from '@toolwire/mcp'
import { createToolSystem, tryModel } from '@toolwire/tools'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isReady, program, until } from '../../mcp/test/stage-mcp.ts'
import { type Running, startServer } from './start-server.ts'

let dir = ''
let mcp: McpTools
let running: Running
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'toolwire-pages-'))
  mcp = createMcpTools({
    servers: { desk: program('page-server.ts', 'modern'), other: program('stdio-server.ts', 'modern') },
  })
  await until(mcp, isReady(mcp))
})
afterAll(async () => {
  await mcp.close()
  rmSync(dir, { recursive: true, force: true })
})

const RULES = { allow: ['mcp__desk__weather'], deny: ['mcp__desk__earlier'] }
async function begin(rules: object = RULES): Promise<void> {
  const system = createToolSystem({
    tools: mcp.tools,
    artifacts: join(dir, 'artifacts'),
    permissions: { rules, source: 'configuration' },
  })
  running = await startServer(
    {
      workspace: dir,
      canTry: true,
      listTools: () => mcp.tools().map(({ name, input_schema }) => ({ name, description: '', input_schema })),
      mcp: { ...mcp, status: () => [] },
      explainPermission: async request => ({ ...(await system.explain(request)) }),
    },
    { tools: system, model: tryModel },
  )
}
beforeEach(() => begin())
afterEach(() => running.close())

/** A finished call, in a separate session. */
async function called(tool = 'weather', input: object = { city: 'Bergen' }) {
  const { body } = await running.json('POST', `/api/tools/mcp__desk__${tool}/try`, { input })
  return { session: body.session_id as string, at: `/api/sessions/${body.session_id}/calls/${body.call_id}` }
}
const callFrom = (at: string, name: string, args: object = {}) =>
  running.json('POST', `${at}/page/calls`, { name, arguments: args })
const log = (session: string) => running.store.read(session, 0, 1000)
async function ends(session: string) {
  await running.settled()
  return (await log(session)).flatMap(({ ev }) =>
    ev.type === 'tool.completed' || ev.type === 'tool.failed' ? [ev] : [],
  )
}

describe('the page beside a call', () => {
  test('is given for calls of tools that have one, and for no others', async () => {
    const { at, session } = await called()
    const page = await running.json('GET', `${at}/page`)
    expect(page).toMatchObject({
      status: 200,
      body: {
        server: 'desk',
        html: '<!doctype html><p>weather</p>',
        connect: ['https://api.weather.example'],
      },
    })
    expect(page.body.session_id).toBeUndefined()
    const plain = await called('save')
    expect((await running.json('GET', `${plain.at}/page`)).status).toBe(404)
    const none = await running.json('GET', `/api/sessions/${session}/calls/none/page`)
    expect(none.body.error.code).toBe('call_not_found')
    const broken = await called('plain', {})
    const refused = await running.json('GET', `${broken.at}/page`)
    expect(refused).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    expect(refused.body.error.message).toContain('no page')
  })

  test('calls a tool by the same rules: the user is asked first, in a separate session', async () => {
    const { at, session } = await called()
    const before = await log(session)
    const made = await callFrom(at, 'save', { city: 'Oslo' })
    expect(made.status).toBe(202)
    await running.settled()
    const waits = (await running.json('GET', '/api/pending')).body.pending
    expect(waits).toMatchObject([
      { session_id: made.body.session_id, kind: 'approval', name: 'mcp__desk__save' },
    ])
    expect(await ends(made.body.session_id)).toEqual([])
    await running.json('POST', `/api/approvals/${waits[0].id}`, { decision: 'approved' })
    expect(await ends(made.body.session_id)).toMatchObject([
      { type: 'tool.completed', output_text: 'saved Oslo', view: { body: { result: { content: [{}] } } } },
    ])
    // The conversation knows nothing of it, and lists of conversations do not show it.
    expect(await log(session)).toEqual(before)
    const listed = (await running.json('GET', '/api/sessions')).body.sessions.map(
      (one: { id: string }) => one.id,
    )
    expect(listed).toContain(session)
    expect(listed).not.toContain(made.body.session_id)
    // The same session for the next call, and when the page is opened again.
    expect((await callFrom(at, 'refresh')).body.session_id).toBe(made.body.session_id)
    expect((await running.json('GET', `${at}/page`)).body.session_id).toBe(made.body.session_id)
  })

  test('may call what is for pages, and neither what is for models nor what another server has', async () => {
    const { at } = await called()
    for (const name of ['think', 'echo', 'mcp__other__echo', 'mcp__desk__save', 'Bash', 'none'])
      expect((await callFrom(at, name)).body.error).toMatchObject({ code: 'forbidden' })
    expect((await running.json('GET', '/api/sessions?archived=true')).body.sessions).toEqual([])
    const plain = await called('save')
    expect((await callFrom(plain.at, 'save')).body.error.code).toBe('forbidden')
    const { body } = await callFrom(at, 'refresh')
    await running.settled()
    const [item] = (await running.json('GET', `/api/sessions/${body.session_id}`)).body.pending
    await running.json('POST', `/api/approvals/${item.id}`, { decision: 'approved' })
    expect(await ends(body.session_id)).toMatchObject([{ output_text: 'fresh' }])
  })

  test('is bound by rules that deny, and by the mode that the session has at that moment', async () => {
    const { at, session } = await called()
    const { session_id } = (await callFrom(at, 'earlier')).body
    const denied = { type: 'tool.failed', error: { layer: 'permission' } }
    expect(await ends(session_id)).toMatchObject([denied])
    await running.json('PATCH', `/api/sessions/${session}`, { permission_mode: 'bypassPermissions' })
    await callFrom(at, 'save', { city: 'Oslo' })
    expect(await ends(session_id)).toMatchObject([denied, { output_text: 'saved Oslo' }])
    await callFrom(at, 'earlier')
    expect((await ends(session_id)).at(-1)).toMatchObject(denied)
    await running.json('PATCH', `/api/sessions/${session}`, { permission_mode: 'dontAsk' })
    await callFrom(at, 'save', { city: 'Oslo' })
    expect((await ends(session_id)).at(-1)).toMatchObject(denied)
  })

  test('is not allowed what was allowed to the model for the session', async () => {
    await running.close()
    await begin({})
    const { body } = await running.json('POST', '/api/tools/mcp__desk__weather/try', {
      input: { city: 'Bergen' },
    })
    await running.json('POST', `/api/approvals/${body.pending[0].id}`, {
      decision: 'approved',
      rule: 'mcp__desk__weather',
    })
    await running.settled()
    const at = `/api/sessions/${body.session_id}/calls/${body.call_id}`
    const { session_id } = (await callFrom(at, 'weather', { city: 'Oslo' })).body
    await running.settled()
    expect((await running.json('GET', `/api/sessions/${session_id}`)).body.pending).toHaveLength(1)
  })

  test('gets a permanent allowance from the user, and keeps it beside this call alone', async () => {
    const { at } = await called()
    const { session_id } = (await callFrom(at, 'save', { city: 'Oslo' })).body
    await running.settled()
    const [item] = (await running.json('GET', '/api/pending')).body.pending
    await running.json('POST', `/api/approvals/${item.id}`, { decision: 'approved', rule: 'mcp__desk__save' })
    await running.settled()
    await callFrom(at, 'save', { city: 'Bodø' })
    const saved = (await ends(session_id)).map(ev => ev.output_text)
    expect(saved).toEqual(['saved Oslo', 'saved Bodø'])
    const other = await called()
    await callFrom(other.at, 'save', { city: 'Voss' })
    await running.settled()
    expect((await running.json('GET', '/api/pending')).body.pending).toHaveLength(1)
  })

  test('reads resources of its server, unless a rule is against it', async () => {
    const { at } = await called()
    const read = (path: string, uri: string) =>
      running.json('GET', `${path}/page/resource?uri=${encodeURIComponent(uri)}`)
    expect((await read(at, 'desk://data')).body).toMatchObject({
      contents: [{ uri: 'desk://data', text: 'kept by the desk' }],
    })
    expect((await read(at, 'test://vault')).status).toBe(404)
    expect((await read(at, '')).status).toBe(400)
    const plain = await called('save')
    expect((await read(plain.at, 'desk://data')).status).toBe(404)
    await running.close()
    await begin({ ...RULES, deny: ['ReadMcpResource'] })
    const again = await called()
    expect(await read(again.at, 'desk://data')).toMatchObject({ status: 403 })
  })

  test('goes with its session when that is deleted', async () => {
    const { at, session } = await called()
    const { session_id } = (await callFrom(at, 'refresh')).body
    await running.settled()
    await running.json('DELETE', `/api/sessions/${session}`)
    expect((await running.json('GET', `/api/sessions/${session_id}`)).status).toBe(410)
    expect((await running.json('GET', '/api/pending')).body.pending).toEqual([])
  })
})
