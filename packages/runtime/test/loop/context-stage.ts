/** A node with a session that has a prompt, and what its models got. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelRequest, SessionEvent, Store } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { createAgentTool, createPromptSource, createToolSystem, type PromptSettings } from '@toolwire/tools'
import { afterEach } from 'vitest'
import { createSkillTool } from '../../../tools/src/builtin/skill.ts'
import { createRuntime } from '../../src/runtime.ts'
import { type ScriptedTurn, scriptedModel } from './scripted-model.ts'
import { message, readAll, SESSION, seed, testTools } from './stage.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Removed after the test. */
export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'context-')))
  closing.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}

interface Options {
  readonly store?: Store
  readonly cwd?: string
  readonly turns?: readonly ScriptedTurn[]
  readonly prompt?: Partial<PromptSettings>
  readonly created?: object
  readonly day?: { now: string }
  /** Tokens of the model's window. */
  readonly window?: number
}

export const AUTO = { context: { instructions: 'auto', environment: 'auto' } }

/** A node with a session; `seen` are the requests that its model got. */
export async function openContext(options: Options = {}) {
  const { store = createMemoryStore(), cwd = folder(), turns = [], created = AUTO, window } = options
  const day = options.day ?? { now: '2026-01-01T12:00:00.000Z' }
  const seen: ModelRequest[] = []
  const model = scriptedModel(turns, seen)
  let n = 0
  const node = `node${Math.random()}`
  const runtime = createRuntime({
    log: store,
    models: () => ({ ...model, id: 'claude-test', ...(window === undefined ? {} : { context: window }) }),
    tools: createToolSystem({
      tools: [...testTools(new Map()), createAgentTool(), createSkillTool()],
      artifacts: folder(),
    }),
    ids: { uuid: () => `uuid-${node}-${++n}`, prefixed: prefix => `${prefix}${node}_${++n}` },
    clock: { now: () => new Date(day.now) },
    node,
    toolNames: [],
    maxTurns: 20,
    prompt: createPromptSource({ trusted: [cwd], artifacts: folder(), ...options.prompt }),
    onError(error) {
      throw error
    },
  })
  closing.push(runtime.stop)
  if (!options.store)
    await seed(store, [
      {
        type: 'session.created',
        ts: day.now,
        cwd,
        model: 'claude-test',
        tools: ['*'],
        permission_mode: 'bypassPermissions',
        ...created,
      } as SessionEvent,
    ])
  await runtime.start()
  runtime.wake(SESSION)
  await runtime.settled()
  let runs = 0
  async function add(...events: readonly SessionEvent[]): Promise<void> {
    await store.append([{ session: SESSION, events, state: 'running' }])
    runtime.wake(SESSION)
    await runtime.settled()
  }
  return {
    store,
    cwd,
    seen,
    runtime,
    day,
    add,
    say: (text = 'hello') => add(message(text, `run-${node}-${++runs}`)),
  }
}

export const contexts = async (store: Store) =>
  (await readAll(store)).flatMap(({ ev }) => (ev.type === 'context.set' ? [ev] : []))
export const changes = async (store: Store) =>
  (await readAll(store)).flatMap(({ ev }) => (ev.type === 'context.changed' ? [ev] : []))
export const systemTexts = (request: ModelRequest | undefined): readonly string[] =>
  (request?.messages ?? []).flatMap(one =>
    one.role === 'system' ? one.content.map(part => (part.type === 'text' ? part.text : '')) : [],
  )
