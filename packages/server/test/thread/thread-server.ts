/**
 * A whole server for thread tests: the real runtime, tools and permissions, a scripted model and
 * any store. It can be stopped in the middle of a run and started again on the same store.
 */

import { randomBytes, randomUUID } from 'node:crypto'
import type { Ids, Model, ModelPart, ModelRequest, Store } from '@toolwire/core'
import { createRuntime } from '@toolwire/runtime'
import { createMemoryStore } from '@toolwire/store'
import { answerRules, createToolSystem, defineTool } from '@toolwire/tools'
import { z } from 'zod'
import { createServer } from '../../src/index.ts'
import { hostServer } from '../host-server.ts'
import { splitConfig, type TestConfig } from '../split-config.ts'

interface Turn {
  readonly text?: string
  readonly thinking?: string
  readonly calls?: readonly (readonly [name: string, input: unknown])[]
  /** The model waits here until `release` is called. */
  readonly wait?: boolean
  readonly error?: boolean
}

/** What the model does, by the user's message; after its turns it repeats the results it was given. */
type Script = Readonly<Record<string, readonly Turn[]>>

export interface ThreadServer {
  readonly url: string
  readonly store: Store
  readonly requests: readonly ModelRequest[]
  readonly ran: readonly string[]
  readonly release: () => void
  readonly settled: () => Promise<void>
  /** Stops the server and the runtime where they are, and starts new ones on the same store. */
  readonly restart: () => Promise<ThreadServer>
  readonly close: () => Promise<void>
}

export interface ThreadServerOptions {
  readonly script: Script
  readonly store?: Store
  readonly config?: TestConfig
  /** Tools that need no approval. */
  readonly allow?: readonly string[]
  /** Called when a tool of the server runs. */
  readonly onRan?: (line: string) => void
  readonly leaseMs?: number
  /** Files to serve beside the routes, by path. */
  readonly pages?: Readonly<Record<string, { readonly type: string; readonly text: string }>>
}

export const CLIENT_TOOLS = [
  {
    name: 'set_temperature',
    description: 'Sets the temperature',
    parameters: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
  },
  { type: 'function', function: { name: 'set_model', parameters: { type: 'object' } } },
]

const ids: Ids = {
  uuid: () => randomUUID(),
  prefixed: prefix => `${prefix}${randomBytes(6).toString('hex')}`,
}
const TOOL_NAMES = ['get_weather', 'write_note', 'ask_colour']
const clock = { now: () => new Date() }
const usage = { input: 10, output: 5, cache_read: 0, cache_write: 0, reasoning: 0 }

export async function startThreadServer(options: ThreadServerOptions): Promise<ThreadServer> {
  const store = options.store ?? createMemoryStore()
  const ran: string[] = []
  const requests: ModelRequest[] = []
  const gate = createGate()
  const errors: unknown[] = []
  const runtime = createRuntime({
    log: store,
    models: () => scriptedModel(options.script, requests, gate.passed),
    tools: createToolSystem({
      tools: serverTools(line => {
        ran.push(line)
        options.onRan?.(line)
      }),
      permissions: { rules: { allow: options.allow ?? [] } },
    }),
    leaseMs: options.leaseMs ?? 15_000,
    ids,
    clock,
    node: randomUUID(),
    toolNames: TOOL_NAMES,
    maxTurns: 20,
    onError: error => errors.push(error),
  })
  await runtime.start()
  const config = { port: 0, workspace: '/', toolNames: TOOL_NAMES, ...options.config }
  const server = await createServer({
    store,
    runtime,
    rules: answerRules,
    ...splitConfig(config),
    ids,
    clock,
  })
  const host = await hostServer((request, response) => {
    const page = options.pages?.[request.url ?? '']
    if (page) response.setHeader('content-type', page.type).end(page.text)
    else server.node(request, response)
  })
  const { url } = host
  const stop = async (): Promise<void> => {
    await server.close()
    await host.close()
    await runtime.stop()
  }
  return {
    url,
    store,
    requests,
    ran,
    release: gate.open,
    settled: () => runtime.settled(),
    async restart() {
      await stop()
      return await startThreadServer({ ...options, store })
    },
    async close() {
      gate.open()
      await stop()
      await store.close()
      if (errors.length > 0) throw new Error(`the runtime failed: ${errors.map(String).join('; ')}`)
    },
  }
}

function serverTools(ran: (line: string) => void) {
  const weather = defineTool({
    name: 'get_weather',
    description: 'Tells the weather',
    input: z.strictObject({ city: z.string() }),
    isReadOnly: () => true,
    async *call({ city }) {
      ran(`get_weather ${city}`)
      yield { type: 'progress', message: `Looking up ${city}` }
      if (city === 'Atlantis') yield { type: 'failure', message: 'No such city.', details: { city } }
      else yield { type: 'result', output_text: JSON.stringify({ city, temperature: 25 }) }
    },
  })
  const note = defineTool({
    name: 'write_note',
    description: 'Writes a note',
    input: z.strictObject({ text: z.string() }),
    isReadOnly: () => false,
    async *call({ text }) {
      ran(`write_note ${text}`)
      yield { type: 'result', output_text: `wrote ${text}` }
    },
  })
  const colour = defineTool({
    name: 'ask_colour',
    description: 'Asks for a colour',
    input: z.strictObject({}),
    isReadOnly: () => true,
    question: () => ({ message: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }] }),
    async *call() {
      yield { type: 'result', output_text: 'any colour' }
    },
  })
  return [weather, note, colour]
}

function scriptedModel(
  script: Script,
  seen: ModelRequest[],
  passed: (s: AbortSignal) => Promise<void>,
): Model {
  return {
    provider: 'script',
    id: 'script',
    async *stream(request, signal) {
      seen.push(request)
      const at = request.messages.findLastIndex(message => message.role === 'user')
      const rest = request.messages.slice(at)
      const played = rest.filter(message => message.role === 'assistant').length
      const turn = script[textOf(rest[0])]?.[played] ?? { text: `got ${resultsOf(rest.at(-1))}` }
      yield { type: 'start', provider_message_id: `p_${at}_${played}`, model: 'script' }
      if (turn.wait) await passed(signal)
      if (signal.aborted) return
      yield* play(turn, randomBytes(4).toString('hex'))
    },
  }
}

function* play(turn: Turn, id: string): Generator<ModelPart> {
  let index = 0
  if (turn.thinking !== undefined) {
    yield { type: 'block-start', index, kind: 'thinking' }
    yield { type: 'block-delta', index, thinking: turn.thinking }
    yield { type: 'block-end', index: index++ }
  }
  if (turn.text !== undefined) {
    yield { type: 'block-start', index, kind: 'text' }
    for (const word of turn.text.match(/\S+\s*/g) ?? []) yield { type: 'block-delta', index, text: word }
    yield { type: 'block-end', index: index++ }
  }
  for (const [name, input] of turn.calls ?? []) {
    yield { type: 'block-start', index, kind: 'tool_use', tool: { id: `call_${id}_${index}`, name } }
    yield {
      type: 'block-delta',
      index,
      input_text: typeof input === 'string' ? input : JSON.stringify(input),
    }
    yield { type: 'block-end', index: index++ }
  }
  if (turn.error) {
    yield { type: 'error', error: { code: 'model_overloaded', message: 'Overloaded.', retryable: true } }
    return
  }
  const finish = turn.calls ? 'tool_calls' : 'stop'
  yield { type: 'end', stop_reason: finish, finish, usage }
}

type Message = ModelRequest['messages'][number] | undefined

const textOf = (message: Message): string =>
  message?.role === 'user'
    ? message.content.map(part => (part.type === 'text' ? part.text : '')).join('')
    : ''
const resultsOf = (message: Message): string =>
  message?.role === 'tool' ? message.results.map(result => result.output_text).join(' | ') : 'nothing'

function createGate() {
  let open: () => void = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  const aborted = (signal: AbortSignal) =>
    new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
  return { open: () => open(), passed: (signal: AbortSignal) => Promise.race([opened, aborted(signal)]) }
}
