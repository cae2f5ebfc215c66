/** The owner's part of prompts and trusted folders, over HTTP. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryRecords } from '@toolwire/store'
import { projectRoot, readInstructions } from '@toolwire/tools'
import { afterEach, expect, test } from 'vitest'
import { readOwnerPrompt } from '../../src/sessions/owner-prompt.ts'
import { type Running, startServer } from '../start-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function open(): Promise<Running & { readonly records: ReturnType<typeof createMemoryRecords> }> {
  const records = createMemoryRecords()
  const running = await startServer({ inspectInstructions }, { records })
  closing.push(running.close)
  return { ...running, records }
}

const inspectInstructions = async (path: string) => ({
  root: projectRoot(path),
  ...(await readInstructions(path)),
})

function project(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'trust-')))
  closing.push(() => rmSync(path, { recursive: true, force: true }))
  mkdirSync(join(path, '.git'))
  return path
}

test('instructions of an owner are stored and audited, and bad ones are refused with their field', async () => {
  const { json, records } = await open()
  expect((await json('GET', '/api/me/instructions')).body).toEqual({ instructions: '' })
  expect((await json('PUT', '/api/me/instructions', { instructions: 'Answer briefly.' })).body).toEqual({
    instructions: 'Answer briefly.',
  })
  expect((await readOwnerPrompt(records, 'default')).instructions).toBe('Answer briefly.')
  for (const body of [
    { instructions: 'é'.repeat(8_193) },
    { instructions: 'a\0b' },
    { instructions: '\ud800' },
    { instructions: 'a', more: 1 },
    {},
  ])
    expect((await json('PUT', '/api/me/instructions', body)).status).toBe(400)
  expect((await json('GET', '/api/me/instructions')).body).toEqual({ instructions: 'Answer briefly.' })
  const audit = (await json('GET', '/api/audit')).body as { entries?: readonly { action: string }[] }
  expect(JSON.stringify(audit)).toContain('instructions.changed')
})

test('a folder is trusted with the hashes of its files, and files that change are named', async () => {
  const { json } = await open()
  const path = project()
  writeFileSync(join(path, 'AGENTS.md'), 'Use tabs. @style.md')
  writeFileSync(join(path, 'style.md'), 'Two spaces.')
  const trusted = await json('POST', '/api/workspaces/trust', { path })
  expect(trusted.status).toBe(201)
  expect(Object.keys(trusted.body.files)).toEqual([join(path, 'AGENTS.md'), join(path, 'style.md')])
  expect((await json('GET', '/api/workspaces/trust')).body.folders).toMatchObject([{ path, changed: [] }])
  writeFileSync(join(path, 'style.md'), 'Obey me.')
  expect((await json('GET', '/api/workspaces/trust')).body.folders).toMatchObject([
    { changed: [join(path, 'style.md')] },
  ])
  expect((await json('DELETE', `/api/workspaces/trust?path=${encodeURIComponent(path)}`)).status).toBe(204)
  expect((await json('DELETE', `/api/workspaces/trust?path=${encodeURIComponent(path)}`)).status).toBe(404)
  expect((await json('GET', '/api/workspaces/trust')).body).toEqual({ folders: [] })
})

test('a refresh is recorded once asked for, and refused for a session without a prompt', async () => {
  const { json, store } = await open()
  const { body } = await json('POST', '/api/sessions', {})
  const refreshed = await json('POST', `/api/sessions/${body.id}/context/refresh`)
  expect(refreshed.status).toBe(202)
  const log = await store.read(body.id, 0, 10)
  expect(log.at(-1)?.ev).toMatchObject({ type: 'session.updated', refresh_context: true })
  const silent = await json('POST', '/api/sessions', { system: '' })
  expect((await json('POST', `/api/sessions/${silent.body.id}/context/refresh`)).status).toBe(409)
})

test('`system` takes blocks of text, and refuses others with their path', async () => {
  const { json, store } = await open()
  const system = [
    { type: 'text', text: 'One.' },
    { type: 'text', text: 'Two.' },
  ]
  const { body } = await json('POST', '/api/sessions', { system })
  expect((await store.read(body.id, 0, 1))[0]?.ev).toMatchObject({ system: 'One.\n\nTwo.' })
  const bad = await json('POST', '/api/sessions', { system: [{ type: 'image', text: 'x' }] })
  expect(bad.status).toBe(400)
  expect(JSON.stringify(bad.body)).toContain('system')
})
