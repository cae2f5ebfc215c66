/** The metrics of a used server, read by a Prometheus parser. */
import { readFileSync } from 'node:fs'
import type { Model } from '@toolwire/core'
import parsePrometheus from 'parse-prometheus-text-format'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProviderPort } from '../../src/index.ts'
import { createInstruments } from '../../src/observe/instruments.ts'
import { observeLog } from '../../src/observe/log-metrics.ts'
import { type Running, startServer } from '../start-server.ts'

type Row = { readonly value?: string; readonly labels?: Record<string, string>; readonly count?: string }
type Family = {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly metrics: readonly Row[]
}

let running: Running
beforeEach(async () => {
  const instruments = createInstruments()
  running = await startServer({}, { instruments, observers: [observeLog(instruments)] })
})
afterEach(() => running.close())

async function scrape(): Promise<readonly Family[]> {
  const answer = await fetch(`${running.url}/metrics`)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return parsePrometheus(await answer.text()) as readonly Family[]
}

const figure = (families: readonly Family[], name: string, labels: Record<string, string> = {}): number => {
  const family = families.find(one => one.name === name)
  const row = family?.metrics.find(one =>
    Object.entries(labels).every(([key, value]) => one.labels?.[key] === value),
  )
  return Number(row?.value ?? row?.count)
}

async function say(message: string): Promise<string> {
  const session_id = await running.newSession()
  await (await running.chat({ session_id, message })).text()
  await running.settled()
  return session_id
}

describe('GET /metrics', () => {
  it('reports runs, tokens, appends and requests', async () => {
    await say('echo hello')
    await say('fail')
    const families = await scrape()
    for (const { name, type, help } of families) {
      expect(name).toMatch(/^(toolwire|process|nodejs)_[a-z0-9_]+$/)
      expect(['COUNTER', 'GAUGE', 'HISTOGRAM']).toContain(type)
      expect(help).not.toBe('')
      // By the name that Prometheus gives to what only rises, and to nothing else.
      expect([name, type === 'COUNTER']).toEqual([name, name.endsWith('_total')])
    }
    expect(figure(families, 'toolwire_runs_total', { event: 'started' })).toBe(2)
    expect(figure(families, 'toolwire_runs_total', { event: 'completed' })).toBe(1)
    expect(figure(families, 'toolwire_runs_total', { event: 'failed' })).toBe(1)
    expect(figure(families, 'toolwire_tokens_total', { kind: 'output' })).toBe(2)
    expect(figure(families, 'toolwire_unpriced_turns_total')).toBe(1)
    expect(figure(families, 'toolwire_append_seconds')).toBeGreaterThan(3)
    expect(figure(families, 'toolwire_events_total')).toBeGreaterThan(8)
    const route = { route: '/api/sessions', method: 'POST', status: '201' }
    expect(figure(families, 'toolwire_http_requests_total', route)).toBe(2)
    const text = await (await fetch(`${running.url}/metrics`)).text()
    expect(text).toContain('toolwire_http_request_seconds_count{route="/api/sessions"} 2\n')
    // How long an answer streams says nothing about how quickly the server answers.
    expect(text).not.toContain('toolwire_http_request_seconds_count{route="/api/chat/stream"}')
    expect(figure(families, 'toolwire_sessions', { state: 'idle' })).toBe(2)
    expect(figure(families, 'process_resident_memory_bytes')).toBeGreaterThan(1e6)
    expect(figure(families, 'process_cpu_seconds_total')).toBeGreaterThan(0)
  })

  it('reports pending approvals, their waiting time, and the ends of calls', async () => {
    await say('ask')
    const waiting = await scrape()
    expect(figure(waiting, 'toolwire_sessions', { state: 'paused' })).toBe(1)
    expect(figure(waiting, 'toolwire_approvals_total', { event: 'requested' })).toBe(1)
    expect(figure(waiting, 'toolwire_pending', { kind: 'approval' })).toBe(1)
    const [item] = (await running.json('GET', '/api/pending')).body.pending
    await running.json('POST', `/api/approvals/${item.id}`, { decision: 'approved' })
    await running.settled()
    const families = await scrape()
    expect(figure(families, 'toolwire_approvals_total', { event: 'approved' })).toBe(1)
    expect(figure(families, 'toolwire_approval_wait_seconds')).toBe(1)
    expect(figure(families, 'toolwire_tool_calls_total', { tool: 'Danger', outcome: 'ok' })).toBe(1)
    const text = await (await fetch(`${running.url}/metrics`)).text()
    expect(text).toContain('toolwire_tool_duration_seconds_count{tool="Danger"} 1\n')
    expect(text).toContain('toolwire_tool_duration_seconds_bucket{tool="Danger",le="+Inf"} 1\n')
  })

  it('shows open streams, and one name for all tools of clients', async () => {
    const session_id = await running.newSession()
    const abort = new AbortController()
    const following = await fetch(`${running.url}/api/sessions/${session_id}/events?follow=1`, {
      signal: abort.signal,
    })
    expect(following.status).toBe(200)
    expect(figure(await scrape(), 'toolwire_streams_open')).toBe(1)
    abort.abort()
    await expect
      .poll(async () => figure(await scrape(), 'toolwire_streams_open'), { timeout: 60_000 })
      .toBe(0)
    const waiting = await say('client')
    const calls = (await running.json('GET', '/api/pending')).body.pending
    const tool_outputs = calls.map((one: { call_id: string }) => ({ tool_use_id: one.call_id, output: 'x' }))
    await running.json('POST', `/api/sessions/${waiting}/tool_outputs`, { tool_outputs })
    await running.settled()
    expect(figure(await scrape(), 'toolwire_tool_calls_total', { tool: 'client', outcome: 'ok' })).toBe(2)
  })
})

it('adds up the cost of models whose prices are known', async () => {
  const instruments = createInstruments()
  const usage = { input: 3, output: 2, cache_read: 1, cache_write: 4, reasoning: 0 }
  const priced: Model = {
    provider: 'scripted',
    id: 'demo',
    async *stream() {
      yield { type: 'start', provider_message_id: 'p', model: 'demo' }
      yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage, cost_usd: 0.25 }
    },
  }
  const own = await startServer({}, { model: priced, instruments, observers: [observeLog(instruments)] })
  try {
    for (let i = 0; i < 2; i++) {
      const session_id = await own.newSession()
      await (await own.chat({ session_id, message: 'hello' })).text()
    }
    await own.settled()
    const families = parsePrometheus(await instruments.text()) as readonly Family[]
    expect(figure(families, 'toolwire_cost_usd_total')).toBe(0.5)
    for (const [kind, count] of Object.entries({ input: 6, output: 4, cache_read: 2, cache_write: 8 }))
      expect([kind, figure(families, 'toolwire_tokens_total', { kind })]).toEqual([kind, count])
  } finally {
    await own.close()
  }
})

it('reports the keys of providers that can be used, and those that cool down', async () => {
  const instruments = createInstruments()
  const status = { name: 'x', variable: 'X', set: true, stored: false }
  const key = (cooling_ms: number) => ({ failures: 0, cooling_ms })
  const list = () => [
    { ...status, provider: 'one', source: 'environment' as const },
    { ...status, provider: 'many', source: 'file' as const, keys: [key(0), key(900), key(0)] },
    { ...status, provider: 'none' },
  ]
  const own = await startServer({ providers: { list } as unknown as ProviderPort }, { instruments })
  try {
    const families = parsePrometheus(await instruments.text()) as readonly Family[]
    const rows = families.find(({ name }) => name === 'toolwire_provider_keys')?.metrics
    expect(rows).toEqual([
      { value: '1', labels: { provider: 'one', state: 'ready' } },
      { value: '0', labels: { provider: 'one', state: 'cooling' } },
      { value: '2', labels: { provider: 'many', state: 'ready' } },
      { value: '1', labels: { provider: 'many', state: 'cooling' } },
    ])
  } finally {
    await own.close()
  }
})

it('shows exactly the metrics that the document lists', async () => {
  const document = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')
  const rows = document.split('\n').filter(line => /^\| `(toolwire|process)_/.test(line))
  const listed = rows.flatMap(row =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  )
  expect((await scrape()).map(({ name }) => name).toSorted()).toEqual(listed.toSorted())
})

it('keeps names that clients choose out of its labels, however many there are', async () => {
  await say('echo')
  for (let i = 0; i < 200; i++) {
    await fetch(`${running.url}/nowhere/${i}`)
    await fetch(`${running.url}/api/sessions/${i}`)
  }
  const families = await scrape()
  const requests = families.find(({ name }) => name === 'toolwire_http_requests_total')
  expect(requests?.metrics.length).toBeLessThan(12)
})

it('escapes what a label may hold', async () => {
  const instruments = createInstruments()
  instruments.counter('a_total', 'A.').add(2, { name: 'one "two"\\\nthree' })
  const [family] = parsePrometheus(await instruments.text()) as readonly Family[]
  expect(family?.metrics[0]).toEqual({ value: '2', labels: { name: 'one "two"\\\nthree' } })
})
