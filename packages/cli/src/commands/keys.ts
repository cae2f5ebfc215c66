/** `toolwire keys …`: creates, lists and revokes API keys. A running server notices within a second. */
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Records } from '@toolwire/core'
import { markLine } from '@toolwire/core/parts'
import {
  addAudit,
  createKey,
  DEFAULT_OWNER,
  isCurrent,
  type KeyRecord,
  listAudit,
  listKeys,
  OWNER_RULE,
  OwnerName,
  readSpending,
  removeKeys,
  revokeKey,
  rotateSigningKey,
  SCOPES,
  type Scope,
} from '@toolwire/server'
import type { Command } from 'commander'
import { table } from '../chat/table.ts'
import type { Config } from '../config.ts'
import { readDataConfig } from '../data-config.ts'
import { ExitError } from '../exit.ts'
import { openRecords } from '../open-records.ts'
import { print, printError, toJson } from '../terminal.ts'

type Flags = Readonly<Record<string, string | undefined>>

export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('API keys: once there is one, every request needs one')
  const add = (name: string, description: string): Command =>
    keys
      .command(name)
      .description(description)
      .option('--data <folder>', 'where keys are kept')
      .option('--database <url>', 'PostgreSQL database that holds them')
  add('create', 'create a key and print it, this once; from the first key on, every request needs one')
    .option('--name <text>', 'what the key is for', 'unnamed')
    .option('--owner <name>', 'whose sessions it reaches; keys of one owner share them', DEFAULT_OWNER)
    .option('--scopes <list>', `comma-separated: ${SCOPES.join(', ')}`, 'read,write,approve,gateway')
    .option('--expires <days>', 'days until it expires (default never)')
    .option('--rpm <number>', 'requests a minute')
    .option('--concurrent <number>', 'requests and runs at once, open streams included')
    .option('--budget <usd>', 'dollars after which it is refused')
    .option('--models <list>', 'models that it may use, such as openai/*,demo (default all)')
    .option('--workspace <folder>', 'the only folder in which its sessions may work')
    .action((flags: Flags) => withRecords(flags, (records, config) => create(records, flags, config)))
  add('list', 'list keys; the keys themselves are not kept')
    .option('--json', 'print JSON, one key a line')
    .action((flags: Flags & { readonly json?: boolean }) =>
      withRecords(flags, records => list(records, flags.json ?? false)),
    )
  add('revoke', 'end a key')
    .argument('<id>', 'id that `keys list` shows')
    .action((id: string, flags: Flags) =>
      withRecords(flags, (records, config) => revoke(records, id, config)),
    )
  add('off', 'delete all keys, so that the server asks for none after a restart').action((flags: Flags) =>
    withRecords(flags, switchOff),
  )
  add(
    'rotate-signing',
    'sign browser tokens with a new key; tokens of the key before stay valid, and end with the next change',
  ).action((flags: Flags) => withRecords(flags, rotateSigning))
  add('audit', 'show who decided what')
    .option('--limit <number>', 'how many entries', '50')
    .action((flags: Flags) => withRecords(flags, records => audit(records, flags)))
}

type Action = (records: Records, config: Config) => Promise<void>

async function withRecords(flags: Flags, action: Action): Promise<void> {
  const { data, database } = flags
  const config = await readDataConfig({ data, database })
  const records = await openRecords(config)
  try {
    await action(records, config)
  } finally {
    await records.close()
  }
}

async function create(records: Records, flags: Flags, { apiKeys }: Config): Promise<void> {
  const now = new Date()
  const isFirst = apiKeys.length === 0 && (await listKeys(records)).length === 0
  const days = toNumber('--expires', flags['expires'])
  const { key, record } = await createKey(
    records,
    {
      name: flags['name'] ?? 'unnamed',
      owner: toOwner(flags['owner'] ?? DEFAULT_OWNER),
      scopes: toScopes(flags['scopes'] ?? ''),
      expires_at: days === null ? null : new Date(now.getTime() + days * 86_400_000).toISOString(),
      requests_per_minute: toNumber('--rpm', flags['rpm']),
      concurrent: toNumber('--concurrent', flags['concurrent']),
      budget_usd: toNumber('--budget', flags['budget']),
      models:
        flags['models']
          ?.split(',')
          .map(id => id.trim())
          .filter(Boolean) ?? null,
      workspace: flags['workspace'] === undefined ? null : resolve(flags['workspace']),
    },
    now,
  )
  await note(records, 'key.created', record, now)
  print(`${key}\n`)
  printError(`Key ${record.id} of owner ${record.owner}. Copy the key now; it is not shown again.\n`)
  if (isFirst)
    printError(`From now on the server needs a key on every request, also in the web app. ${WAY_BACK}\n`)
}

const WAY_BACK = 'To work without keys again, run `toolwire keys off` and restart the server.'

async function list(records: Records, isJson: boolean): Promise<void> {
  const all = await listKeys(records)
  if (all.length === 0 && !isJson) print('No keys.\n')
  const rows: string[][] = []
  for (const record of all) {
    const { id, owner, name, scopes, revoked_at, expires_at } = record
    const spent = await readSpending(records, id)
    if (isJson) print(`${toJson({ id, owner, name, scopes, revoked_at, expires_at, spent })}\n`)
    const cost = `$${spent.usd.toFixed(4)}${spent.unpriced_turns > 0 ? '+' : ''}`
    rows.push([id, stateOf(record), `owner ${owner}`, `spent ${cost}`, scopes.join(','), markLine(name)])
  }
  if (!isJson) for (const line of table(rows)) print(`${line}\n`)
}

function stateOf(record: KeyRecord): string {
  const { revoked_at, expires_at } = record
  if (revoked_at !== null) return `revoked ${revoked_at.slice(0, 10)}`
  if (expires_at === null) return 'valid'
  return `${isCurrent(record, new Date()) ? 'valid until' : 'expired'} ${expires_at.slice(0, 10)}`
}

async function revoke(records: Records, id: string, { apiKeys }: Config): Promise<void> {
  const now = new Date()
  const record = await revokeKey(records, id, now)
  if (!record) throw new ExitError('usage', `There is no key ${id}; \`toolwire keys list\` shows them.`)
  await note(records, 'key.revoked', record, now)
  print(`revoked ${id}\n`)
  if (apiKeys.length === 0 && !(await listKeys(records)).some(key => isCurrent(key, now)))
    printError(
      `No valid key is left, and the server still needs one: create one with \`toolwire keys create\`. ${WAY_BACK}\n`,
    )
}

async function switchOff(records: Records, { apiKeys }: Config): Promise<void> {
  const now = new Date()
  const removed = await removeKeys(records)
  for (const record of removed) await note(records, 'key.removed', record, now)
  print(`removed keys: ${removed.length}\n`)
  printError(
    apiKeys.length > 0
      ? 'The server still needs a key: TOOLWIRE_API_KEYS or "apiKeys" in the configuration file sets some.\n'
      : 'Restart the server: until then it rejects every request. Without keys it must listen on 127.0.0.1.\n',
  )
}

async function rotateSigning(records: Records): Promise<void> {
  const { id } = await rotateSigningKey(records)
  const entry = { action: 'signing_key.rotated', by: 'command line', owner: DEFAULT_OWNER, details: { id } }
  await addAudit(records, { ts: new Date().toISOString(), ...entry }, randomUUID())
  print(`browser tokens are signed with key ${id}\n`)
}

async function audit(records: Records, flags: Flags): Promise<void> {
  const limit = toNumber('--limit', flags['limit']) ?? 50
  for (const entry of await listAudit(records, undefined, limit)) print(`${toJson(entry)}\n`)
}

async function note(records: Records, action: string, record: KeyRecord, now: Date): Promise<void> {
  const { id, owner, name, scopes } = record
  const entry = { ts: now.toISOString(), action, by: 'command line', owner, details: { id, name, scopes } }
  await addAudit(records, entry, randomUUID())
}

function toOwner(text: string): string {
  const owner = OwnerName.safeParse(text)
  if (!owner.success) throw new ExitError('usage', `--owner must be ${OWNER_RULE}.`)
  return owner.data
}

function toScopes(text: string): Scope[] {
  const names = text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
  const unknown = names.find(name => !SCOPES.some(scope => scope === name))
  if (unknown !== undefined || names.length === 0)
    throw new ExitError('usage', `--scopes takes ${SCOPES.join(', ')}, but not "${unknown ?? ''}".`)
  return SCOPES.filter(scope => names.includes(scope))
}

function toNumber(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const value = Number(text)
  if (!Number.isFinite(value) || value <= 0)
    throw new ExitError('usage', `${flag} must be a number above 0, but is "${text}".`)
  return value
}
