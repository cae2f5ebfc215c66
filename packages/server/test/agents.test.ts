/** Agents over HTTP: versions, who sees them, and the sessions that have one. */
import { AppError, type EventOf, type Records, type Store } from '@toolwire/core'
import { createMemoryRecords } from '@toolwire/store'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { AgentConfig, changeConfig, configHash } from '../src/agents/agent-config.ts'
import { addVersion, createAgent, findAgent, listAgents, readConfig } from '../src/agents/agent-store.ts'
import { startServer } from './start-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function checkModel(id: string): void {
  if (id === 'no-such-model') throw new AppError('unknown_model', id)
}

async function open(records: Records = createMemoryRecords()) {
  const running = await startServer({ checkModel }, { records })
  closing.push(running.close)
  const create = (body: object, headers?: Record<string, string>) =>
    running.json('POST', '/api/agents', { name: 'reviewer', ...body }, headers)
  return { ...running, records, create }
}

async function createdOf(store: Store, session: string): Promise<EventOf<'session.created'>> {
  const [first] = await store.read(session, 0, 1)
  if (first?.ev.type !== 'session.created') throw new Error('no session')
  return first.ev
}

describe('versions', () => {
  test('are added by updates: absent keeps, null clears, metadata merges, the same makes none', async () => {
    const { json, create } = await open()
    const first = await create({ description: 'a', system: 'Be brief.', metadata: { x: '1', y: '2' } })
    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({ name: 'reviewer', version: 1, system: 'Be brief.', archived_at: null })
    const path = `/api/agents/${first.body.id}`
    const second = await json('POST', path, { description: null, metadata: { x: null, z: '3' } })
    expect(second.body).toMatchObject({ version: 2, system: 'Be brief.', metadata: { y: '2', z: '3' } })
    expect(second.body.description).toBeUndefined()
    expect((await json('POST', path, { system: 'Be brief.' })).body.version).toBe(2)
    expect((await json('GET', `${path}?version=1`)).body).toMatchObject({ version: 1, description: 'a' })
    expect((await json('GET', '/api/agents/reviewer')).body.version).toBe(2)
    const versions = await json('GET', `${path}/versions?limit=1`)
    expect(versions.body).toMatchObject({ versions: [{ version: 2 }], next_cursor: '2' })
    // A version that is added between two pages moves nothing.
    await json('POST', path, { description: 'third' })
    const rest = await json('GET', `${path}/versions?limit=1&cursor=2`)
    expect(rest.body).toMatchObject({ versions: [{ version: 1 }], next_cursor: null })
    expect((await json('GET', `${path}?version=4`)).status).toBe(404)
  })

  test('of another number than `if_version` are not replaced', async () => {
    const { json, create } = await open()
    const { body } = await create({})
    const path = `/api/agents/${body.id}`
    expect((await json('POST', path, { if_version: 1, model: null, description: 'b' })).status).toBe(200)
    const stale = await json('POST', path, { if_version: 1, description: 'c' })
    expect([stale.status, stale.body.error.code, stale.body.error.details]).toEqual([
      409,
      'version_changed',
      { version: 2 },
    ])
  })

  test('of two updates at once one is refused, and none is lost', async () => {
    const { json, create } = await open()
    const { body } = await create({})
    const updates = Array.from({ length: 8 }, (_, n) =>
      json('POST', `/api/agents/${body.id}`, { if_version: 1, description: `d${n}` }),
    )
    const answers = await Promise.all(updates)
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect((await json('GET', `/api/agents/${body.id}`)).body).toMatchObject({
      version: 2,
      description: won[0]?.body.description,
    })
  })

  test('that were cut off by a crash leave the version before', async () => {
    const records = createMemoryRecords()
    const by = { by: 'operator', now: '2026-01-01T00:00:00.000Z' }
    await createAgent(records, { id: 'agent_1', name: 'a', owner: 'o', config: {}, ...by })
    const dying: Records = {
      ...records,
      update: async () => {
        throw new Error('killed')
      },
    }
    const edit = { config: { description: 'b' }, base: 1, ...by }
    await expect(addVersion(dying, 'agent_1', edit)).rejects.toThrow('killed')
    const agent = await findAgent(records, 'o', 'a')
    expect(await readConfig(records, agent)).toMatchObject({ version: { version: 1 }, config: {} })
    expect((await addVersion(records, 'agent_1', edit)).versions).toHaveLength(2)
    const late = { ...edit, config: { description: 'c' } }
    await expect(addVersion(records, 'agent_1', late)).rejects.toMatchObject({ code: 'version_changed' })
  })

  test('have one hash for the same settings, whatever their order', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string(), { maxKeys: 5 }), metadata => {
        const reversed = Object.fromEntries(Object.entries(metadata).reverse())
        expect(configHash({ metadata, model: 'a' })).toBe(configHash({ model: 'a', metadata: reversed }))
      }),
    )
  })
})

describe('an agent', () => {
  test('is created once per Idempotency-Key, and once per name', async () => {
    const { create } = await open()
    const key = { 'idempotency-key': 'k1' }
    const [first, again] = [await create({ model: 'demo' }, key), await create({ model: 'demo' }, key)]
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id])
    expect((await create({ description: 'other' }, key)).body.error.code).toBe('conflict')
    expect((await create({})).body.error.code).toBe('conflict')
  })

  test('is refused with the path of what is wrong', async () => {
    const { create } = await open()
    const bad: readonly (readonly [object, string])[] = [
      [{ name: 'A b' }, 'name'],
      [{ more: 1 }, 'more'],
      [{ system: 'a\0b' }, 'system'],
      [{ description: '\ud800' }, 'description'],
      [{ system: 'x'.repeat(1_000_001) }, 'system'],
      [{ append_system: 'x'.repeat(100_001) }, 'append_system'],
      [{ tools: Array.from({ length: 257 }, (_, n) => `t${n}`) }, 'tools'],
      [{ tools: ['nothing-of-this-name'] }, 'tools'],
      [{ limits: { max_turns: 0 } }, 'max_turns'],
      [{ limits: { most: 1 } }, 'limits'],
      [{ context: { skills: [''] } }, 'skills'],
      [{ metadata: { a: 'x'.repeat(513) } }, 'metadata'],
      [{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v'])) }, 'metadata'],
    ]
    for (const [body, field] of bad) {
      const answer = await create(body)
      expect([field, answer.status]).toEqual([field, 400])
      expect(JSON.stringify(answer.body)).toContain(field)
    }
    expect((await create({ model: 'no-such-model' })).body.error.code).toBe('unknown_model')
  })

  test('that is archived takes no session and no version, and its versions stay', async () => {
    const { json, create } = await open()
    const { body } = await create({})
    const path = `/api/agents/${body.id}`
    expect((await json('POST', `${path}/archive`)).body.archived_at).not.toBeNull()
    expect((await json('POST', path, { description: 'b' })).status).toBe(409)
    expect((await json('POST', '/api/sessions', { agent: 'reviewer' })).status).toBe(409)
    expect((await json('GET', path)).status).toBe(200)
    expect((await json('GET', '/api/agents')).body.agents).toEqual([])
    expect((await json('GET', '/api/agents?archived=true')).body.agents).toHaveLength(1)
  })

  test('is seen by its owner alone', async () => {
    const records = createMemoryRecords()
    const by = { by: 'operator', now: '' }
    await createAgent(records, { id: 'agent_1', name: 'a', owner: 'alpha', config: {}, ...by })
    for (const id of ['agent_1', 'a', 'constructor', '__proto__'])
      await expect(findAgent(records, 'beta', id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await listAgents(records, 'beta')).toEqual([])
    await createAgent(records, { id: 'agent_2', name: 'a', owner: 'beta', config: {}, ...by })
    expect((await findAgent(records, 'beta', 'a')).id).toBe('agent_2')
    expect((await findAgent(records, 'alpha', 'a')).id).toBe('agent_1')
  })

  test('is one of 200 at most, and each change is in the audit trail', async () => {
    const { json, create, records } = await open()
    const { body } = await create({})
    await json('POST', `/api/agents/${body.id}`, { description: 'b' })
    await json('POST', `/api/agents/${body.id}/archive`)
    const audit = JSON.stringify((await json('GET', '/api/audit')).body)
    for (const action of ['agent.created', 'agent.updated', 'agent.archived']) expect(audit).toContain(action)
    const ids = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`a${n}`, `agent_${n}`]))
    await records.put('agent_names', 'default', { ids })
    expect((await create({ name: 'one-more' })).body.error.code).toBe('limit_reached')
  })
})

describe('a session with an agent', () => {
  test('keeps the version that it began with', async () => {
    const { json, create, store } = await open()
    const { body } = await create({ system: 'One.', permission_mode: 'plan', limits: { max_turns: 3 } })
    const path = `/api/agents/${body.id}`
    await json('POST', path, { system: 'Two.' })
    const pinned = await json('POST', '/api/sessions', { agent: { id: 'reviewer', version: 1 } })
    const latest = await json('POST', '/api/sessions', { agent: body.id })
    await json('POST', path, { system: 'Three.' })
    expect(await createdOf(store, pinned.body.id)).toMatchObject({
      system: 'One.',
      permission_mode: 'plan',
      agent: { id: body.id, name: 'reviewer', version: 1, sha256: body.sha256, resolved: { system: 'One.' } },
    })
    expect(await createdOf(store, latest.body.id)).toMatchObject({ system: 'Two.', agent: { version: 2 } })
  })

  test('may change settings for itself, by overrides and by other fields', async () => {
    const { json, create, store } = await open()
    await create({ system: 'One.', append_system: 'More.', effort: 'low' })
    const overrides = { system: 'Other.', append_system: null }
    const { body } = await json('POST', '/api/sessions', {
      agent: { id: 'reviewer', overrides },
      effort: 'high',
    })
    const created = await createdOf(store, body.id)
    expect(created).toMatchObject({
      system: 'Other.',
      effort: 'high',
      agent: { resolved: { system: 'Other.' } },
    })
    expect(created.append_system).toBeUndefined()
  })

  test('of an unknown agent, version or field is refused', async () => {
    const { json, create } = await open()
    await create({})
    for (const [agent, status] of [
      ['nothing', 404],
      [{ id: 'reviewer', version: 9 }, 404],
      [{ id: 'reviewer', more: 1 }, 400],
      [{ id: 'reviewer', overrides: { name: 'x' } }, 400],
      [{ id: 'reviewer', overrides: { model: 'no-such-model' } }, 400],
      [7, 400],
    ] as const)
      expect([agent, (await json('POST', '/api/sessions', { agent })).status]).toEqual([agent, status])
  })

  test('runs within the limits of its agent', async () => {
    const { json, create, store, chat, settled } = await open()
    await create({ limits: { max_turns: 2, max_total_tokens: 500 }, fallback_models: ['demo'] })
    const { body } = await json('POST', '/api/sessions', { agent: 'reviewer' })
    await (await chat({ session_id: body.id, message: 'echo', max_turns: 9 })).text()
    await settled()
    const started = (await store.read(body.id, 0, 50)).find(({ ev }) => ev.type === 'run.started')
    expect(started?.ev).toMatchObject({ max_turns: 2, max_total_tokens: 500, fallback_models: ['demo'] })
  })
})

test('merged settings fit the form of a version, whatever the changes are', () => {
  const text = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' })
  const change = fc.record(
    {
      description: fc.option(text),
      model: fc.option(text),
      metadata: fc.option(fc.dictionary(text, fc.option(text), { maxKeys: 3 })),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.array(change, { maxLength: 4 }), changes => {
      const end = changes.reduce<AgentConfig>((config, one) => changeConfig(config, one as never), {})
      expect(AgentConfig.parse(end)).toEqual(end)
      expect(JSON.stringify(end)).not.toContain('null')
    }),
  )
})
