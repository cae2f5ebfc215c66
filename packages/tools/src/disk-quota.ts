/**
 * Bounds what calls write below the artifacts: per call, per session and per owner. Counters are in memory; the folder of
 * a session is measured once per process, and worktrees, which hold the user's own files, are not counted.
 */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskShare } from '@toolwire/core'
import { fileName } from './file-name.ts'
import { putFile } from './safe-files/put-file.ts'

/** Bytes that one call, one session and all sessions of one owner may keep. */
export interface DiskLimits {
  readonly call: number
  readonly session: number
  readonly owner: number
}

const MEBIBYTE = 1024 ** 2
const DISK_LIMITS: DiskLimits = {
  call: 256 * MEBIBYTE,
  session: 1024 * MEBIBYTE,
  owner: 10_240 * MEBIBYTE,
}
export const WORKTREES = 'worktrees'

export interface DiskQuotaOptions {
  /** Folder of all sessions. */
  readonly artifacts: string
  readonly limits?: Partial<DiskLimits> | undefined
  /** The owner of a session; all sessions have the same one when absent. */
  readonly ownerOf?: ((session_id: string) => Promise<string | undefined>) | undefined
}

export interface DiskQuota {
  /** Room for one call. */
  readonly share: (session_id: string) => DiskShare
  /** Adds a session that was measured elsewhere, unless it is known. Never throws. */
  readonly addMeasured: (session_id: string, bytes: number) => Promise<void>
  /** The files of the session are gone. */
  readonly forget: (session_id: string) => void
}

/** The message completes "… was not stored:". */
class QuotaError extends Error {
  override readonly name = 'QuotaError'
  readonly code = 'quota_exceeded'
}

interface Account {
  used: number
  owner: { used: number }
  readonly ready: Promise<void>
}

export function createDiskQuota({ artifacts, limits, ownerOf }: DiskQuotaOptions): DiskQuota {
  const { call, session, owner } = { ...DISK_LIMITS, ...limits }
  const accounts = new Map<string, Account>()
  const owners = new Map<string, { used: number }>()

  function open(session_id: string, bytes?: number): Account {
    const known = accounts.get(session_id)
    if (known) return known
    const measuring = bytes ?? measure(join(artifacts, fileName(session_id)))
    const account: Account = {
      used: 0,
      owner: { used: 0 },
      ready: Promise.all([measuring, ownerOf?.(session_id) ?? '']).then(
        ([found, name = '']) => {
          const all = owners.get(name) ?? { used: 0 }
          owners.set(name, all)
          all.used += account.used + found
          account.used += found
          account.owner = all
        },
        // The store cannot name the owner now: the session's own limit still applies.
        () => undefined,
      ),
    }
    accounts.set(session_id, account)
    return account
  }

  function count(account: Account, bytes: number): void {
    account.used += bytes
    account.owner.used += bytes
  }

  return {
    share(session_id) {
      let used = 0
      return {
        limit: call,
        ready: () => open(session_id).ready,
        take(bytes) {
          const account = open(session_id)
          const room = Math.min(call - used, session - account.used, owner - account.owner.used)
          const taken = Math.min(bytes, Math.max(0, room))
          used += taken
          count(account, taken)
          return taken
        },
        giveBack(bytes) {
          used -= bytes
          count(open(session_id), -bytes)
        },
      }
    },
    addMeasured: (session_id, bytes) => open(session_id, bytes).ready,
    forget(session_id) {
      const account = accounts.get(session_id)
      if (account) account.owner.used -= account.used
      accounts.delete(session_id)
    },
  }
}

/** Puts a file in its place as `putFile` does, within the call's share. Throws `QuotaError`, and like `putFile`. */
export async function putCounted(
  path: string,
  bytes: Uint8Array | string,
  disk: DiskShare | undefined,
): Promise<void> {
  const more = Buffer.byteLength(bytes) - (await sizeOf(path))
  const taken = disk?.take(Math.max(0, more)) ?? more
  try {
    if (taken < more) throw new QuotaError(QUOTA_REACHED)
    await putFile(path, bytes)
  } catch (error) {
    disk?.giveBack(Math.max(0, taken))
    throw error
  }
  if (more < 0) disk?.giveBack(-more)
}

export const QUOTA_REACHED =
  'the limit for stored files of this call, session or owner is reached; delete sessions, or raise "storage" in the configuration'

const sizeOf = (path: string): Promise<number> =>
  lstat(path).then(
    found => (found.isFile() ? found.size : 0),
    () => 0,
  )

async function measure(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries) {
    if (entry.isDirectory() && entry.name !== WORKTREES) bytes += await measure(join(folder, entry.name))
    else if (entry.isFile()) bytes += await sizeOf(join(folder, entry.name))
  }
  return bytes
}
