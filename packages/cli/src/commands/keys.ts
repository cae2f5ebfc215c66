/** `toolwire keys …`: make, list and revoke API keys. Works while a server runs; it notices within a second. */
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Records } from '@toolwire/core'
import {
  addAudit,
  createKey,
  DEFAULT_OWNER,
  type KeyRecord,
  listAudit,
  listKeys,
  OwnerName,
  readSpending,
  revokeKey,
  SCOPES,
  type Scope,
} from '@toolwire/server'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { ExitError } from '../exit.ts'
import { openRecords } from '../open-records.ts'

type Flags = Readonly<Record<string, string | undefined>>

export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('API keys: once there is one, every request needs one')
  const add = (name: string, description: string): Command =>
    keys.command(name).description(description).option('--data <folder>', 'where keys are kept')
  add('create', 'make a key and print it, this once')
    .option('--name <text>', 'what the key is for', 'unnamed')
    .option('--owner <name>', 'whose sessions it reaches; keys of one owner share them', DEFAULT_OWNER)
    .option('--scopes <list>', `comma-separated: ${SCOPES.join(', ')}`, 'read,write,approve,gateway')
    .option('--expires <days>', 'days until it expires (default never)')
    .option('--rpm <number>', 'requests a minute')
    .option('--concurrent <number>', 'requests and runs at once, open streams included')
    .option('--budget <usd>', 'dollars after which it is refused')
    .option('--workspace <folder>', 'the only folder in which its sessions may work')
    .action((flags: Flags) => withRecords(flags, records => create(records, flags)))
  add('list', 'list keys; the keys themselves are not kept').action((flags: Flags) =>
    withRecords(flags, list),
  )
  keys
    .command('revoke')
    .description('end a key')
    .argument('<id>', 'id that `keys list` shows')
    .option('--data <folder>', 'where keys are kept')
    .action((id: string, flags: Flags) => withRecords(flags, records => revoke(records, id)))
  add('audit', 'show who decided what')
    .option('--limit <number>', 'how many entries', '50')
    .action((flags: Flags) => withRecords(flags, records => audit(records, flags)))
}

async function withRecords(flags: Flags, action: (records: Records) => Promise<void>): Promise<void> {
  const config = readConfig({ flags: { data: flags['data'] }, env: process.env, cwd: process.cwd() })
  const records = await openRecords(config)
  try {
    await action(records)
  } finally {
    await records.close()
  }
}

async function create(records: Records, flags: Flags): Promise<void> {
  const now = new Date()
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
      workspace: flags['workspace'] === undefined ? null : resolve(flags['workspace']),
    },
    now,
  )
  await note(records, 'key.created', record, now)
  process.stdout.write(`${key}\n`)
  process.stderr.write(`Key ${record.id} of owner ${record.owner}: keep it now, it is shown this once.\n`)
}

async function list(records: Records): Promise<void> {
  const all = await listKeys(records)
  if (all.length === 0) process.stdout.write('No keys.\n')
  for (const record of all) {
    const { id, owner, name, scopes } = record
    const spent = await readSpending(records, id)
    const cost = `$${spent.usd.toFixed(4)}${spent.unpriced_turns > 0 ? '+' : ''}`
    process.stdout.write(
      `${id}  ${stateOf(record)}  owner ${owner}  spent ${cost}  ${scopes.join(',')}  ${name}\n`,
    )
  }
}

function stateOf({ revoked_at, expires_at }: KeyRecord): string {
  if (revoked_at !== null) return `revoked ${revoked_at.slice(0, 10)}`
  if (expires_at === null) return 'valid'
  const day = expires_at.slice(0, 10)
  return Date.parse(expires_at) <= Date.now() ? `expired ${day}` : `valid until ${day}`
}

async function revoke(records: Records, id: string): Promise<void> {
  const now = new Date()
  const record = await revokeKey(records, id, now)
  if (!record) throw new ExitError('usage', `There is no key ${id}; \`toolwire keys list\` shows them.`)
  await note(records, 'key.revoked', record, now)
  process.stdout.write(`revoked ${id}\n`)
}

async function audit(records: Records, flags: Flags): Promise<void> {
  const limit = toNumber('--limit', flags['limit']) ?? 50
  for (const entry of await listAudit(records, undefined, limit))
    process.stdout.write(`${JSON.stringify(entry)}\n`)
}

async function note(records: Records, action: string, record: KeyRecord, now: Date): Promise<void> {
  const { id, owner, name, scopes } = record
  const entry = { ts: now.toISOString(), action, by: 'command line', owner, details: { id, name, scopes } }
  await addAudit(records, entry, randomUUID())
}

function toOwner(text: string): string {
  const owner = OwnerName.safeParse(text)
  if (!owner.success) throw new ExitError('usage', `--owner ${owner.error.issues[0]?.message ?? 'is wrong'}.`)
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
