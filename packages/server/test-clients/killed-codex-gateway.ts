/**
 * A gateway in a separate process, for codex: `node killed-codex-gateway.ts FOLDER MODE`. In the mode `stuck` its model
 * begins a message and says no more. Prints its URL, then `asked` at every request of the model.
 */
import { join } from 'node:path'
import type { Model } from '@toolwire/core'
import { openSqliteRecords, openSqliteStore } from '@toolwire/store'
import { startGateway } from '../test/gateway/gateway-server.ts'
import { createCodexModel } from './codex-model.ts'

const [, , folder = '', mode = ''] = process.argv
const inner = createCodexModel()
const model: Model = {
  ...inner,
  async *stream(request, signal) {
    process.stdout.write('asked\n')
    if (mode !== 'stuck') return yield* inner.stream(request, signal)
    yield { type: 'start', provider_message_id: 'p', model: 'demo' }
    yield { type: 'block-start', index: 0, kind: 'text' }
    yield { type: 'block-delta', index: 0, text: 'half ' }
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
  },
}
const gateway = await startGateway({
  store: await openSqliteStore({ dir: folder }),
  records: openSqliteRecords(join(folder, 'records.sqlite')),
  models: () => model,
  config: { shared: false },
  // Short for the server that is killed alone: a busy machine would lose it in the middle of a run.
  ...(mode === 'stuck' ? { leaseMs: 300 } : {}),
})
process.stdout.write(`${gateway.url}\n`)
