/** `toolwire db …`: what is stored, how to take it out, put it in, and make room. Works on a stopped server's data. */
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import type { Store } from '@toolwire/core'
import { exportSession, importSession, openPrivateFile } from '@toolwire/store'
import type { Command } from 'commander'
import { readDataConfig } from '../data-config.ts'
import { ExitError } from '../exit.ts'
import { openData } from '../open-data.ts'
import { print, toJson } from '../terminal.ts'
import { addBackupCommands } from './db-backup.ts'
import { addMigrateCommand } from './db-migrate.ts'

export function addDbCommand(program: Command): void {
  const db = program.command('db').description('look after the stored sessions')
  db.command('stats')
    .description('count sessions, events and bytes')
    .option('--data <folder>', 'where sessions are kept')
    .option('--database <url>', 'PostgreSQL database that holds them')
    .option('--json', 'print JSON')
    .action(flags => withStore(flags, store => stats(store, flags.json === true)))
  db.command('check')
    .description('look for damaged pages; PostgreSQL checks its own')
    .option('--data <folder>', 'where sessions are kept')
    .option('--database <url>', 'PostgreSQL database that holds them')
    .action(flags => withStore(flags, check))
  db.command('prune')
    .description('delete idle sessions older than a number of days')
    .requiredOption('--older-than <days>', 'age in days')
    .option('--dry-run', 'only count')
    .option('--data <folder>', 'where sessions are kept')
    .option('--database <url>', 'PostgreSQL database that holds them')
    .action(flags => withStore(flags, store => prune(store, flags)))
  db.command('export')
    .description('write one session as JSON lines')
    .argument('<session>', 'session id')
    .option('--out <file>', 'file to write (default: standard output)')
    .option('--data <folder>', 'where sessions are kept')
    .option('--database <url>', 'PostgreSQL database that holds them')
    .action((session: string, flags) => withStore(flags, store => exportTo(store, session, flags.out)))
  db.command('import')
    .description('read a session from JSON lines')
    .argument('<file>', 'file that db export wrote')
    .option('--data <folder>', 'where sessions are kept')
    .option('--database <url>', 'PostgreSQL database that holds them')
    .action((file: string, flags) => withStore(flags, store => importFrom(store, file)))
  addMigrateCommand(db)
  addBackupCommands(db)
}

async function withStore(
  flags: Record<string, unknown>,
  action: (store: Store) => Promise<void>,
): Promise<void> {
  const { data, database } = flags
  const config = await readDataConfig({ data, database })
  const store = await openData(config)
  try {
    await action(store)
  } finally {
    await store.close()
  }
}

async function stats(store: Store, isJson: boolean): Promise<void> {
  const { sessions, events, rows, bytes, byState } = await store.stats()
  if (isJson) {
    print(`${toJson({ sessions, events, rows, bytes, by_state: byState })}\n`)
    return
  }
  const states = Object.entries(byState).map(([state, count]) => `${count} ${state}`)
  print(`sessions ${sessions}${states.length > 0 ? ` (${states.join(', ')})` : ''}\n`)
  print(`events   ${events} in ${rows} rows\n`)
  print(`bytes    ${bytes}\n`)
}

async function check(store: Store): Promise<void> {
  if (!store.checkIntegrity)
    return print('PostgreSQL checks its pages itself: see data_checksums and pg_amcheck.\n')
  const problem = await store.checkIntegrity()
  if (problem !== undefined)
    throw new ExitError(
      'data',
      `The database is damaged: ${problem}. Restore a backup, or export the sessions that can be read.`,
    )
  print('no damage found\n')
}

async function prune(store: Store, flags: Record<string, unknown>): Promise<void> {
  const days = Number(flags['olderThan'])
  if (!Number.isFinite(days) || days < 0)
    throw new ExitError(
      'usage',
      `--older-than must be a number of days, but is "${String(flags['olderThan'])}".`,
    )
  const dryRun = flags['dryRun'] === true
  const count = await store.prune({ before: Date.now() - days * 86_400_000, dryRun })
  print(`${dryRun ? 'would delete' : 'deleted'} ${count} sessions\n`)
}

/** A file appears whole or not at all. */
async function exportTo(store: Store, session: string, out: string | undefined): Promise<void> {
  const part = `${out}.part`
  async function* lines(): AsyncGenerator<string> {
    for await (const line of exportSession(store, session)) yield `${line}\n`
  }
  try {
    if (out === undefined) return await pipeline(lines, process.stdout, { end: false })
    if (existsSync(out)) throw new Error(`${out} exists already`)
    await pipeline(lines, createWriteStream('', { fd: openPrivateFile(part) }))
    renameSync(part, out)
  } catch (error) {
    rmSync(part, { force: true })
    throw new ExitError('usage', `Session ${session} was not exported: ${sentence(error)}`)
  }
}

async function importFrom(store: Store, file: string): Promise<void> {
  try {
    const input = createReadStream(file, 'utf8')
    const { id } = await importSession(store, createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
    print(`imported session ${id}\n`)
  } catch (error) {
    throw new ExitError('usage', `${file} was not imported: ${sentence(error)}`)
  }
}

const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error))
