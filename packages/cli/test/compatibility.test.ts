/**
 * Data of earlier versions opens, continues, exports and resumes by old cursors. `compatibility/<commit>` holds
 * what that commit wrote (SQLite files, SQL) and what it answered about it; the files are never regenerated.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WHOLE_EVENTS } from '../../core/test/event-samples.ts'
import { createTestDatabase, type TestDatabase } from '../../store/test/postgres/test-database.ts'
import { type Launched, launch } from './launch.ts'

/** Types of events that data of the first version cannot hold. */
const LATER_TYPES: ReadonlySet<string> = new Set([
  'context.set',
  'context.changed',
  'skill.loaded',
  'branch.opened',
  'branch.selected',
  'input.delivered',
  'input.changed',
  'input.withdrawn',
  'hook.answered',
])
const FIXTURES = fileURLToPath(new URL('compatibility/', import.meta.url))
/** The command that the paused session waits to run, in the workspace that the sessions were made with. */
const TOUCHED = '/tmp/toolwire-compatibility'

interface Expected {
  readonly finished: { readonly id: string; readonly canonical: string; readonly export: unknown }
  readonly paused: { readonly id: string; readonly pending: readonly { readonly id: string }[] }
  readonly thread: { readonly frames: string }
  readonly gateway: {
    readonly session: string
    readonly request: { readonly messages: readonly unknown[] }
    readonly response: {
      readonly choices: readonly {
        readonly message: { readonly tool_calls: readonly { readonly id: string }[] }
      }[]
    }
  }
}

interface Exported {
  readonly events: readonly { readonly type: string; readonly call_id?: string }[]
}

const framesOf = (text: string): readonly string[] => text.split('\n\n').filter(frame => /^id: /m.test(frame))

for (const commit of readdirSync(FIXTURES))
  describe.each(['sqlite', 'postgres'] as const)(`data of ${commit} in %s`, store => {
    const dir = mkdtempSync(join(tmpdir(), 'toolwire-compatibility-'))
    const read = (name: string): Buffer => gunzipSync(readFileSync(join(FIXTURES, commit, `${name}.gz`)))
    const expected = JSON.parse(read(`${store}.json`).toString()) as Expected
    let server: Launched | undefined
    let database: TestDatabase | undefined
    beforeAll(async () => {
      if (store === 'sqlite')
        for (const file of ['toolwire.db', 'records.db']) writeFileSync(join(dir, file), read(file))
      else {
        database = await createTestDatabase()
        await database.query(read('postgres.sql').toString())
      }
      const env: Record<string, string> = database ? { DATABASE_URL: database.url } : {}
      server = await launch(dir, ['--port', '0', '--data', dir, '--workspace', '/tmp'], env)
    })
    afterAll(async () => {
      await server?.stop()
      await database?.drop()
      rmSync(dir, { recursive: true, force: true })
      rmSync(TOUCHED, { force: true })
    })
    const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      fetch(`${server?.url}${path}`, { headers })
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(`${server?.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })

    test('resumes by every old cursor with the same bytes', async () => {
      const { id, canonical } = expected.finished
      const frames = framesOf(canonical)
      expect(frames.length).toBeGreaterThan(20)
      for (const [index, frame] of frames.entries()) {
        const cursor = /^id: (.*)$/m.exec(frame)?.[1] ?? ''
        const response = await get(`/api/sessions/${id}/events`, { 'last-event-id': cursor })
        expect(framesOf(await response.text()), cursor).toEqual(frames.slice(index + 1))
      }
    })

    test('exports a session as before', async () => {
      const { id, export: before } = expected.finished
      expect(await (await get(`/api/sessions/${id}/export`)).json()).toEqual(before)
    })

    test('reads every type of event', async () => {
      const response = await get('/api/sessions/every-event/export')
      expect(response.status).toBe(200)
      const text = await response.text()
      const types = new Set(WHOLE_EVENTS.map(event => event.type))
      for (const type of types.difference(LATER_TYPES)) expect(text, type).toContain(`"type":"${type}"`)
      expect((await get('/api/sessions/every-event')).status).toBe(200)
    })

    test('answers an approval that waits, and the run continues', async () => {
      const { id, pending } = expected.paused
      expect(await (await get(`/api/sessions/${id}`)).json()).toMatchObject({ status: 'paused', pending })
      const approved = await post(`/api/approvals/${pending[0]?.id}`, { decision: 'approve' })
      expect(approved.status).toBe(200)
      const message = { session_id: id, message: 'what time is it', if_paused: 'queue' }
      expect(await (await post('/api/chat/stream', message)).text()).toContain('"type":"done"')
      expect(await (await get(`/api/sessions/${id}`)).json()).toMatchObject({ status: 'idle', pending: [] })
      // From the log, not by its file: the path is in the data, so that runs at the same time share the file.
      const { events } = (await (await get(`/api/sessions/${id}/export`)).json()) as Exported
      const asked = events.find(event => event.type === 'tool.approval_requested')
      const ends = events.filter(event => event.type === 'tool.completed' && event.call_id === asked?.call_id)
      expect(ends).toMatchObject([{ is_error: false }])
    })

    test('takes the output of a client tool of a thread', async () => {
      const { frames } = expected.thread
      const thread_id = Number(/"thread_id":(\d+)/.exec(frames)?.[1])
      const call_id = /"call_id":"([^"]+)"/.exec(frames)?.[1]
      const body = { stream: true, thread_id, tool_outputs: [{ call_id, output: '{}' }] }
      const text = await (await post('/v4/response', body)).text()
      expect(text).toContain('conversation.resumed')
      expect(text).not.toContain('conversation.paused')
    })

    test('continues a session of the gateway with its results', async () => {
      const { session, request, response } = expected.gateway
      const message = response.choices[0]?.message
      const messages = [
        ...request.messages,
        message,
        { role: 'tool', tool_call_id: message?.tool_calls[0]?.id, content: '{}' },
      ]
      const answer = await post('/v1/chat/completions', { ...request, messages })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-session-id')).toBe(session)
    })
  })
