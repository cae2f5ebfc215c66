/** A server with its own keys, for tests of access. */

import type { Records } from '@toolwire/core'
import { createMemoryRecords } from '@toolwire/store'
import { createKey, type KeyRecord } from '../../src/access/api-key.ts'
import type {} from '../../src/index.ts'
import type { TestConfig } from '../split-config.ts'
import { type More, type Running, startServer } from '../start-server.ts'

export interface KeyServer extends Running {
  readonly records: Records
  /** Makes a key; what is not said is unlimited. */
  readonly newKey: (wanted: Partial<KeyRecord>) => Promise<string>
  /** A request with a key. */
  readonly as: (key: string, method: string, path: string, body?: unknown) => ReturnType<Running['json']>
}

const PLAIN = {
  name: 'test',
  owner: 'alpha',
  scopes: ['read', 'write', 'approve', 'gateway'],
  expires_at: null,
  requests_per_minute: null,
  concurrent: null,
  budget_usd: null,
  workspace: null,
  models: null,
  budgets: [],
} satisfies Partial<KeyRecord>

/** There is a key already: the server asks for one. */
export async function startKeyServer(
  config: TestConfig = {},
  more: Omit<More, 'records'> = {},
): Promise<KeyServer> {
  const records = createMemoryRecords()
  const newKey: KeyServer['newKey'] = async wanted =>
    (await createKey(records, { ...PLAIN, ...wanted }, new Date())).key
  await newKey({ owner: 'nobody' })
  const running = await startServer(config, { ...more, records })
  return {
    ...running,
    records,
    newKey,
    as: (key, method, path, body) => running.json(method, path, body, { authorization: `Bearer ${key}` }),
  }
}
