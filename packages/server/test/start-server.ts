/** A whole server on a free port with a store in memory and a scripted model; closed by the caller. */

import { randomBytes, randomUUID } from 'node:crypto'
import type { FileStore, Ids, Model, Records, Store, ToolSystem } from '@toolwire/core'
import { createRuntime } from '@toolwire/runtime'
import { createMemoryStore } from '@toolwire/store'
import { answerRules, isInsideRoots, openFile } from '@toolwire/tools'
import {
  type Authenticate,
  createServer,
  type Logger,
  type Server,
  type ServerOptions,
} from '../src/index.ts'
import type { Instruments } from '../src/observe/instruments.ts'
import { observeStore, type StoreObserver } from '../src/observe/observe-store.ts'
import { basePathOf, DOOR, openDoor } from './door.ts'
import { createScriptedModel, type ScriptedModel } from './scripted-model.ts'
import { scriptedTools } from './scripted-tools.ts'
import { splitConfig, type TestConfig } from './split-config.ts'

export interface Running {
  readonly url: string
  readonly server: Server
  readonly store: Store
  readonly model: ScriptedModel
  readonly logged: string[]
  readonly json: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>
  readonly newSession: () => Promise<string>
  readonly chat: (body: object, headers?: Record<string, string>) => Promise<Response>
  /** Resolves when no run is active and list columns are written. */
  readonly settled: () => Promise<void>
  readonly close: () => Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
type Answer = { readonly status: number; readonly headers: Headers; readonly body: any }

const ids: Ids = {
  uuid: () => randomUUID(),
  prefixed: prefix => `${prefix}${randomBytes(6).toString('hex')}`,
}
const clock = { now: () => new Date() }

export interface More {
  /** Instead of the scripted ones. */
  readonly model?: Model
  readonly tools?: ToolSystem
  readonly records?: Records
  readonly files?: FileStore
  /** Instead of a new one in memory. */
  readonly store?: Store
  readonly instruments?: Instruments
  readonly observers?: readonly StoreObserver[]
  /** The name of the log's history; may change. */
  readonly lineage?: () => string
  /** The folder of the web app. */
  readonly webRoot?: string
  /** The sign-in of an application. */
  readonly authenticate?: Authenticate
  /** Issuers of JSON web tokens. */
  readonly auth?: ServerOptions['auth']
  readonly now?: () => Date
}

export async function startServer(config: TestConfig = {}, more: More = {}): Promise<Running> {
  const { lineage } = more
  const store: Store = {
    ...observeStore(more.store ?? createMemoryStore(), more.observers ?? []),
    ...(lineage ? { lineage: async () => lineage() } : {}),
  }
  const model = createScriptedModel()
  const logged: string[] = []
  const log: Logger['info'] = (fields, message) => {
    logged.push(`${message} ${JSON.stringify(fields)}`)
  }
  const runtime = createRuntime({
    log: store,
    models: () => more.model ?? model,
    tools: more.tools ?? scriptedTools,
    ids,
    clock,
    node: randomUUID(),
    toolNames: ['Danger'],
    maxTurns: 20,
    ...(more.files ? { files: more.files } : {}),
    onError: error => logged.push(`runtime ${String(error)}`),
  })
  await runtime.start()
  // No polling: whatever reaches a stream was rung for.
  const given = {
    basePath: basePathOf(DOOR),
    port: 0,
    workspace: '/workspace',
    pollMs: 600_000,
    isInsideRoots,
    openFile,
    ...config,
  }
  const server = await createServer({
    store,
    runtime,
    rules: answerRules,
    ...splitConfig(given),
    ...(more.records ? { records: more.records } : {}),
    ...(more.files ? { files: more.files } : {}),
    ...(more.instruments ? { instruments: more.instruments } : {}),
    ...(more.webRoot === undefined ? {} : { webRoot: more.webRoot }),
    authenticate: more.authenticate,
    auth: more.auth,
    ids,
    clock: more.now ? { now: more.now } : clock,
    logger: { info: log, error: log },
  })
  const door = await openDoor(server)
  const { url } = door
  const json: Running['json'] = async (method, path, body, headers = {}) => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(url + path, { method, headers: { ...type, ...headers }, body: text })
    const answer = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: answer === '' ? undefined : JSON.parse(answer),
    }
  }
  return {
    url,
    server,
    store,
    model,
    logged,
    json,
    newSession: async () => (await json('POST', '/api/sessions')).body.id,
    chat: (body, headers = {}) =>
      fetch(`${url}/api/chat/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    settled: () => runtime.settled(),
    async close() {
      model.open()
      await server.close()
      await door.close()
      await runtime.stop()
      await store.close()
    },
  }
}
