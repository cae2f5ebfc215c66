/**
 * Detects that the machine went down while the data was open. Previews are not on disk before a fact follows them,
 * so readers may have seen lost ones and their cursors must not match the events written instead. A killed process
 * loses nothing: the system holds its writes.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { openPrivateFile, tighten } from '../private-files.ts'

/** Changes with every boot. Without it a machine failure looks like a kill. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id'

const markOf = (database: string): string => `${database}-open`

/** True if an earlier boot left the data open. Throws system errors. */
export function hadUncleanShutdown(database: string): boolean {
  const left = readOrNothing(markOf(database))
  return left !== '' && left !== readOrNothing(BOOT_ID)
}

/** True if the data were not closed, or if that cannot be known. Throws what the system throws. */
export const isMarkedOpen = (database: string): boolean =>
  existsSync(markOf(database)) || readOrNothing(BOOT_ID) === ''

/** On the disk before it returns. Idempotent; throws what the system throws. */
export function markOpen(database: string): void {
  const boot = readOrNothing(BOOT_ID)
  const mark = markOf(database)
  tighten(mark)
  if (boot === '' || readOrNothing(mark) === boot) return
  const fd = openPrivateFile(mark)
  try {
    writeSync(fd, boot)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  syncFolder(dirname(mark))
}

/** To be called once everything is on the disk. */
export function markClosed(database: string): void {
  rmSync(markOf(database), { force: true })
}

function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

const readOrNothing = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8').trim() : '')
