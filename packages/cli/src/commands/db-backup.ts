/**
 * `toolwire db backup`, `restore` and `restored`: all sessions as one file of JSON lines, and back. Restored data
 * may lack events that clients have seen, so it gets a new lineage: those clients receive `log.reset`.
 */
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import type { Store } from '@toolwire/core'
import {
  exportSession,
  importSession,
  openPrivateFile,
  renewPostgresLineage,
  renewSqliteLineage,
} from '@toolwire/store'
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { readDataConfig } from '../data-config.ts'
import { ExitError } from '../exit.ts'
import { openData } from '../open-data.ts'
import { print } from '../terminal.ts'
import { allRows } from './all-rows.ts'

type Flags = Readonly<Record<string, string | undefined>>
type DataConfig = Pick<Config, 'data' | 'database'>

const END = 'toolwire.backup.end'

export function addBackupCommands(db: Command): void {
  const add = (name: string, description: string): Command =>
    db
      .command(name)
      .description(description)
      .option('--data <folder>', 'where sessions are kept')
      .option('--database <url>', 'PostgreSQL database that holds them')
  add('backup', 'write all sessions into one file; servers of a database may keep running')
    .requiredOption('--out <file>', 'file to write')
    .action((flags: Flags) => withData(flags, store => backup(store, String(flags['out']))))
  add('restore', 'read all sessions of a backup into empty data; servers must be stopped')
    .argument('<file>', 'file that db backup wrote')
    .action(async (file: string, flags: Flags) => await restore(await configOf(flags), file))
  add(
    'restored',
    'say that these data came out of a backup made by other means; servers must be stopped',
  ).action(async (flags: Flags) => {
    await renew(await configOf(flags))
    print('clients that have seen later events are told to read again from the start\n')
  })
}

const configOf = async ({ data, database }: Flags): Promise<Config> =>
  await readDataConfig({ data, database })

async function withData(flags: Flags, action: (store: Store) => Promise<void>): Promise<void> {
  const store = await openData(await configOf(flags))
  try {
    await action(store)
  } finally {
    await store.close()
  }
}

/** The file appears whole or not at all. Each session is as it was at one moment; sessions do not refer to each other. */
async function backup(store: Store, out: string): Promise<void> {
  if (existsSync(out)) throw new ExitError('usage', `${out} exists already.`)
  const part = `${out}.part`
  let sessions = 0
  async function* lines(): AsyncGenerator<string> {
    // Oldest first, so that the order of the list stays.
    for (const { id } of (await allRows(store)).toReversed()) {
      // One that was deleted since the list was read is no longer part of the data.
      if ((await store.list({ ids: [id], limit: 1 })).items.length === 0) continue
      for await (const line of exportSession(store, id)) yield `${line}\n`
      sessions += 1
    }
    yield `${JSON.stringify({ format: END, sessions })}\n`
  }
  try {
    await pipeline(lines, createWriteStream('', { fd: openPrivateFile(part) }))
    renameSync(part, out)
  } catch (error) {
    rmSync(part, { force: true })
    throw new ExitError('data', `The backup was not written: ${sentence(error)}`)
  }
  print(`wrote ${sessions} sessions to ${out}\n`)
}

async function restore(config: DataConfig, file: string): Promise<void> {
  await checkWhole(file)
  const store = await openData(config)
  let restored = 0
  try {
    if ((await store.list({ limit: 1 })).items.length > 0)
      throw new ExitError('data', 'There are sessions already: a backup is restored into empty data.')
    for await (const lines of sessionsOf(file)) {
      await importSession(store, lines)
      restored += 1
    }
  } catch (error) {
    if (error instanceof ExitError) throw error
    throw new ExitError('data', `${file} was not restored beyond ${restored} sessions: ${sentence(error)}`)
  } finally {
    await store.close()
  }
  await renew(config)
  print(`restored ${restored} sessions\n`)
}

async function renew({ data, database }: DataConfig): Promise<void> {
  try {
    if (database === undefined) renewSqliteLineage(data)
    else await renewPostgresLineage(database)
  } catch (error) {
    throw new ExitError('data', `The data were not marked as restored: ${sentence(error)}`)
  }
}

/** A file that was cut off is found out before anything of it is stored. */
async function checkWhole(file: string): Promise<void> {
  let last = ''
  try {
    for await (const line of linesOf(file)) last = line
  } catch (error) {
    throw new ExitError('usage', `${file} cannot be read: ${sentence(error)}`)
  }
  if (formatOf(last) !== END) throw new ExitError('usage', `${file} is no whole backup: its end is missing.`)
}

/** The lines of one session after another. */
async function* sessionsOf(file: string): AsyncGenerator<readonly string[]> {
  let lines: string[] = []
  for await (const line of linesOf(file)) {
    if (formatOf(line) !== undefined && lines.length > 0) {
      yield lines
      lines = []
    }
    if (formatOf(line) !== END) lines.push(line)
  }
}

const linesOf = (file: string): AsyncIterable<string> =>
  createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })

/** Headers have a format and events have none; the test of the beginning spares parsing events twice. */
function formatOf(line: string): string | undefined {
  if (!line.startsWith('{"format":')) return undefined
  try {
    return String((JSON.parse(line) as { readonly format: unknown }).format)
  } catch {
    return undefined
  }
}

const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error))
