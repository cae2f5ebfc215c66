/** Models without a known price in runs with a budget in money. */
import type { EventOf, Model, SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createToolSystem } from '@toolwire/tools'
import { expect, test } from 'vitest'
import { createRuntime } from '../../src/runtime.ts'
import { scriptedModel } from './scripted-model.ts'
import { opening, readAll, SESSION, seed, testTools } from './stage.ts'

const priced = scriptedModel([])

/** Runs one message and returns the end of its run, with the models that were asked. */
async function run(unpriced: 'allow' | 'refuse', input: Partial<EventOf<'input.message'>>) {
  const asked: string[] = []
  const noted = (id: string, isPriced: boolean): Model => ({
    ...priced,
    id,
    isPriced,
    stream(request, signal) {
      asked.push(id)
      return priced.stream(request, signal)
    },
  })
  const models: Readonly<Record<string, Model>> = {
    script: noted('unknown', false),
    other: noted('known', true),
  }
  const store = createMemoryStore()
  let n = 0
  const runtime = createRuntime({
    log: store,
    models: id => models[id] ?? priced,
    tools: createToolSystem({ tools: testTools(new Map()) }),
    ids: { uuid: () => `run-${++n}`, prefixed: prefix => `${prefix}${++n}` },
    clock: { now: () => new Date('2026-01-01T00:00:00.000Z') },
    node: 'node',
    toolNames: [],
    maxTurns: 20,
    unpriced,
    onError: error => {
      throw error
    },
  })
  const [created, message] = opening('go')
  await seed(store, [created, { ...message, ...input }] as SessionEvent[])
  await runtime.start()
  runtime.wake(SESSION)
  await runtime.settled()
  const events = (await readAll(store)).map(record => record.ev)
  await runtime.stop()
  return { asked, end: events.findLast(ev => ev.type === 'run.failed' || ev.type === 'run.completed') }
}

test('are refused before they are asked, where the server wants that', async () => {
  const { asked, end } = await run('refuse', { max_cost_usd: 1 })
  expect(asked).toEqual([])
  expect(end).toMatchObject({
    type: 'run.failed',
    error: { code: 'budget_exceeded', message: expect.stringContaining('The price of unknown is unknown') },
  })
})

test('leave the run to a fallback model with a price', async () => {
  const { asked, end } = await run('refuse', { max_cost_usd: 1, fallback_models: ['other'] })
  expect(asked).toEqual(['known'])
  expect(end?.type).toBe('run.completed')
})

test('are asked without a budget in money, and where the server allows it', async () => {
  expect((await run('refuse', {})).asked).toEqual(['unknown'])
  expect((await run('allow', { max_cost_usd: 1 })).asked).toEqual(['unknown'])
})
