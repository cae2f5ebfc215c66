/** `toolwire db migrate`: copies every session from one place to another, SQLite to PostgreSQL or back. */
import type { SessionRow, Store } from '@toolwire/core'
import { exportSession, importSession } from '@toolwire/store'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { ExitError } from '../exit.ts'
import { openData } from '../open-data.ts'
import { print } from '../terminal.ts'
import { allRows } from './all-rows.ts'

export function addMigrateCommand(db: Command): void {
  db.command('migrate')
    .description('copy all sessions to other data; servers must be stopped')
    .requiredOption('--from <place>', 'data folder, or address of a PostgreSQL database')
    .requiredOption('--to <place>', 'data folder, or address of a PostgreSQL database')
    .action(migrate)
}

async function migrate(flags: { readonly from: string; readonly to: string }): Promise<void> {
  const from = await openPlace(flags.from)
  try {
    const to = await openPlace(flags.to)
    try {
      const { copied, known } = await copyAll(from, to)
      print(`copied ${copied} sessions, ${known} were there already\n`)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

async function openPlace(place: string): Promise<Store> {
  const isDatabase = /^postgres(ql)?:\/\//.test(place)
  const flags = isDatabase ? { database: place } : { data: place }
  const { data, database } = readConfig({ flags, env: {}, cwd: process.cwd() })
  return await openData({ data, database: isDatabase ? database : undefined })
}

interface CopyCounts {
  readonly copied: number
  readonly known: number
}

/** Oldest first, so that the order of the list stays. What an earlier attempt has copied whole is left alone. */
async function copyAll(from: Store, to: Store): Promise<CopyCounts> {
  const rows = (await allRows(from)).toReversed()
  let copied = 0
  for (const row of rows) if (await copy(from, to, row)) copied += 1
  return { copied, known: rows.length - copied }
}

async function copy(from: Store, to: Store, row: SessionRow): Promise<boolean> {
  const [there] = (await to.list({ ids: [row.id], limit: 1 })).items
  if (there && there.head === row.head) return false
  if (there)
    throw new ExitError(
      'data',
      `Session ${row.id} is in both places and differs: ${row.head} events here, ${there.head} there. Nothing was changed in it.`,
    )
  await importSession(to, exportSession(from, row.id)).catch(error => {
    throw new ExitError(
      'data',
      `Session ${row.id} was not copied: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
  return true
}
