/** The real server, runtime and tool system on a free port, with a store in memory and a model that obeys. */

import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Model, ModelPart, ModelRequest, Store } from '@toolwire/core'
import { createRuntime } from '@toolwire/runtime'
import { createServer } from '@toolwire/server'
import { createMemoryStore, openFolderFiles } from '@toolwire/store'
import { answerRules, createToolSystem, defineRawTool } from '@toolwire/tools'

export interface Running {
  readonly url: string
  readonly store: Store
  readonly close: () => Promise<void>
}

/** `Danger` needs an approval and answers with its arguments. */
const danger = defineRawTool({
  name: 'Danger',
  description: 'Needs an approval.',
  input_schema: { type: 'object' },
  isReadOnly: () => false,
  async *call(input) {
    yield { type: 'result', output_text: `ran ${JSON.stringify(input)}` }
  },
})

export async function startServer(): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'toolwire-client-'))
  const store = createMemoryStore()
  const files = openFolderFiles({ dir: join(folder, 'files') })
  const ids = {
    uuid: () => randomUUID(),
    prefixed: (prefix: string) => prefix + randomBytes(6).toString('hex'),
  }
  const clock = { now: () => new Date() }
  const runtime = createRuntime({
    log: store,
    models: () => obedient,
    tools: createToolSystem({ tools: [danger], artifacts: join(folder, 'artifacts') }),
    ids,
    clock,
    node: randomUUID(),
    toolNames: ['Danger'],
    maxTurns: 20,
    files,
    onError: () => {},
  })
  await runtime.start()
  const settings = { port: 0, workspace: folder, toolNames: ['Danger'], heartbeatMs: 1000 }
  const server = await createServer({ store, files, runtime, rules: answerRules, settings, ids, clock })
  return {
    url: await server.listen(),
    store,
    async close() {
      await server.close()
      await runtime.stop()
      await store.close()
      await files.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const usage = { input: 3, output: 2, cache_read: 1, cache_write: 0, reasoning: 0 }

/** `long N` says N words, `wait` never ends, `client` calls `pick` twice, `ask` calls Danger; anything else is echoed. */
const obedient: Model = {
  provider: 'test',
  id: 'demo',
  async *stream(request, signal) {
    const text = lastText(request)
    yield { type: 'start', provider_message_id: 'p', model: 'demo' }
    if (text === 'client' || text === 'ask')
      return yield* calls(text === 'client' ? ['pick', 'pick'] : ['Danger'])
    const count = Number(/^long (\d+)$/.exec(text)?.[1] ?? 0)
    yield { type: 'block-start', index: 0, kind: 'text' }
    for (const piece of count > 0 ? Array.from({ length: count }, (_, i) => `${i} 你好 `) : [text])
      yield { type: 'block-delta', index: 0, text: piece }
    if (text === 'wait') await new Promise(resolve => signal.addEventListener('abort', resolve))
    if (signal.aborted) return
    yield { type: 'block-end', index: 0 }
    yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
  },
}

function* calls(names: readonly string[]): Generator<ModelPart> {
  for (const [index, name] of names.entries()) {
    yield { type: 'block-start', index, kind: 'tool_use', tool: { id: '', name } }
    yield { type: 'block-delta', index, input_text: '{"n":' }
    yield { type: 'block-delta', index, input_text: `${index}}` }
    yield { type: 'block-end', index }
  }
  yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage }
}

function lastText({ messages }: ModelRequest): string {
  const last = messages.at(-1)
  if (last?.role === 'tool') return `got ${last.results.map(result => result.output_text).join(',')}`
  return last?.role === 'user'
    ? last.content.map(part => (part.type === 'text' ? part.text : '')).join('')
    : ''
}
