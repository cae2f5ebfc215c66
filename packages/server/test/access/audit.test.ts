/** Every decision is in the audit trail once, by any wire and whenever the server died. */

import { randomUUID } from 'node:crypto'
import { answerRules } from '@toolwire/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyIdOf } from '../../src/access/api-key.ts'
import { listAudit } from '../../src/access/audit.ts'
import { createServer } from '../../src/index.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

let server: KeyServer
let key: string
beforeEach(async () => {
  server = await startKeyServer({
    gatewayTools: ['Danger'],
    toolNames: ['Danger'],
  })
  key = await server.newKey({ scopes: ['admin'] })
})
afterEach(() => server.close())

interface Asked {
  readonly session: string
  readonly approval: string
  readonly call: string
}
/** A session in which a call waits for a decision. */
async function ask(): Promise<Asked> {
  const session = (await server.as(key, 'POST', '/api/sessions', {})).body.id
  await (
    await server.chat({ session_id: session, message: 'ask' }, { authorization: `Bearer ${key}` })
  ).text()
  const [item] = (await server.as(key, 'GET', `/api/sessions/${session}`)).body.pending
  return { session, approval: item.id, call: item.call_id }
}
const trail = () => listAudit(server.records, undefined, 100)
const decide = ({ approval }: Asked) =>
  server.as(key, 'POST', `/api/approvals/${approval}`, { decision: 'approved' })
/** Another server on the same data: what a start finds. */
const startAgain = async (now = new Date()): Promise<void> => {
  const { store, records } = server
  const again = await createServer({
    store,
    records,
    runtime: { wake() {} },
    rules: answerRules,
    settings: { port: 0 },
    ids: { uuid: () => randomUUID(), prefixed: prefix => prefix },
    clock: { now: () => now },
  })
  await again.close()
}

describe('a decision', () => {
  const approved = (asked: Asked) => ({
    action: 'approval.approved',
    by: keyIdOf(key),
    owner: 'alpha',
    session_id: asked.session,
    details: { approval_id: asked.approval, call_id: asked.call },
  })

  it('by the API is in the trail once, also when it is asked for again', async () => {
    const asked = await ask()
    await decide(asked)
    await decide(asked)
    expect(await trail()).toMatchObject([approved(asked)])
    expect(await server.records.list('audit_planned')).toEqual([])
  })

  it('by the chat wire is in the trail', async () => {
    const asked = await ask()
    const approvals = [{ approval_id: asked.approval, decision: 'approved' }]
    const answer = await server.chat(
      { session_id: asked.session, approvals },
      { authorization: `Bearer ${key}` },
    )
    expect(answer.status).toBe(200)
    await answer.text()
    expect(await trail()).toMatchObject([approved(asked)])
  })

  it('by the thread wire is in the trail', async () => {
    const asked = await ask()
    const tool_approvals = [{ call_id: asked.call, approved: true }]
    const body = { thread_id: asked.session, tool_approvals, stream: false }
    expect((await server.as(key, 'POST', '/v4/response', body)).status).toBe(200)
    expect(await trail()).toMatchObject([approved(asked)])
  })

  for (const [path, extra] of [
    ['/v1/chat/completions', {}],
    ['/v1/messages', { max_tokens: 10 }],
  ] as const)
    it(`on a call that was made for ${path} is in the trail`, async () => {
      const body = { model: 'demo', messages: [{ role: 'user', content: 'ask' }], ...extra }
      const answer = await server.as(key, 'POST', path, body)
      const [item] = answer.body.pending
      const session = answer.headers.get('x-session-id') ?? ''
      const asked = { session, approval: item.id, call: item.call_id }
      expect((await decide(asked)).status).toBe(200)
      expect(await trail()).toMatchObject([approved(asked)])
    })

  it('is all that is in the trail: outputs of a client’s tools are not decisions', async () => {
    const session = (await server.as(key, 'POST', '/api/sessions', {})).body.id
    await (
      await server.chat({ session_id: session, message: 'client' }, { authorization: `Bearer ${key}` })
    ).text()
    const { pending } = (await server.as(key, 'GET', `/api/sessions/${session}`)).body
    const tool_outputs = pending.map((item: { id: string }) => ({ tool_use_id: item.id, output: 'x' }))
    const sent = await server.as(key, 'POST', `/api/sessions/${session}/tool_outputs`, { tool_outputs })
    expect(sent.status).toBe(200)
    expect(await trail()).toEqual([])
  })
})

describe('a server that dies', () => {
  /** Everything that is to be written under this kind fails, as for a process that is gone. */
  function dieBefore(kind: string): () => void {
    const { put } = server.records
    server.records.put = async (one, id, value) => {
      if (one === kind) throw new Error('gone')
      await put(one, id, value)
    }
    return () => {
      server.records.put = put
    }
  }
  const answers = async ({ session }: Asked) =>
    (await server.store.read(session, 0, 1000)).filter(({ ev }) => ev.type === 'input.approval')

  it('between a decision and its entry leaves the entry to the next start', async () => {
    const asked = await ask()
    const revive = dieBefore('audit')
    expect((await decide(asked)).status).toBe(500)
    revive()
    expect(await answers(asked)).toHaveLength(1)
    // The client retries and gets its first answer, now recorded for it.
    expect((await decide(asked)).body).toMatchObject({ decision: 'approved', first: false })
    expect(await trail()).toEqual([])
    await startAgain()
    await startAgain()
    expect(await trail()).toMatchObject([{ action: 'approval.approved', by: keyIdOf(key) }])
    expect(await server.records.list('audit_planned')).toEqual([])
  })

  it('between a decision and its entry leaves it to the next reader of the trail, too', async () => {
    const asked = await ask()
    const revive = dieBefore('audit')
    await decide(asked)
    revive()
    const { entries } = (await server.as(key, 'GET', '/api/audit')).body
    expect(entries).toMatchObject([{ action: 'approval.approved', session_id: asked.session }])
  })

  it('before a decision leaves no entry of a decision that was not made', async () => {
    const asked = await ask()
    const { append } = server.store
    server.store.append = async () => {
      throw new Error('gone')
    }
    expect((await decide(asked)).status).toBe(500)
    server.store.append = append
    // It may still be in progress: nothing is dropped, and nothing is reported.
    await startAgain()
    expect(await trail()).toEqual([])
    expect(await server.records.list('audit_planned')).toHaveLength(1)
    await startAgain(new Date(Date.now() + 25 * 60 * 60 * 1000))
    expect(await trail()).toEqual([])
    expect(await server.records.list('audit_planned')).toEqual([])
  })

  it('a decision that cannot be audited is refused', async () => {
    const asked = await ask()
    const revive = dieBefore('audit_planned')
    expect((await decide(asked)).status).toBe(500)
    revive()
    expect(await answers(asked)).toEqual([])
    await decide(asked)
    expect(await trail()).toHaveLength(1)
  })
})
