/**
 * Notes that outlive sessions: small text files in three scopes with a folder each. Nothing
 * outside these folders is ever touched, no link is followed, and what is overwritten stays
 * for twenty versions.
 */
import { createHash } from 'node:crypto'
import { lstat, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ToolProblem } from '@toolwire/core'
import { atomicWrite, removeFile } from '../files/atomic-write.ts'
import { isUtf8 } from '../files/charset.ts'
import { reasonOf, toCode } from '../files/inspect-path.ts'
import { hashOf } from '../files/ledger.ts'
import { canonicalPath } from '../files/resolve-path.ts'
import { ChangedError } from '../safe-files/changed-error.ts'
import { holdDirectory } from '../safe-files/held-directory.ts'
import { readWhole } from '../safe-files/open-file.ts'
import { makePrivateDirectory, putFile } from '../safe-files/put-file.ts'

export const MEMORY_LIMITS = {
  file_bytes: 256 * 1024,
  files: 1_000,
  bytes: 10 * 1024 * 1024,
  versions: 20,
} as const

const SCOPES = ['user', 'project', 'session'] as const
type MemoryScope = (typeof SCOPES)[number]

/** Whose notes: a project is its workspace. */
export interface MemoryOwner {
  readonly workspace: string
  readonly session_id: string
}

/** A file of a scope, or where one may be made. */
export interface MemoryPlace {
  readonly scope: MemoryScope
  readonly root: string
  /** Below the scope, with slashes. */
  readonly path: string
  readonly full: string
  /** As it is named to the model. */
  readonly name: string
}

interface MemoryFile {
  readonly name: string
  readonly bytes: number
  readonly updated_at: string
}

interface MemoryWriteOptions {
  /** Hash of the content that may be replaced; whatever is there when absent. */
  readonly expect?: string | undefined
  /** Called with the hashes of old (null: none) and new content when only the last step is left. */
  readonly beforeCommit?: (before: string | null, after: string) => Promise<void>
}

export type Outcome<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly problem: ToolProblem }

export interface MemoryStore {
  /** `user/…`, `project/…`, `session/…`; a path without a scope belongs to the project. */
  readonly locate: (
    file_path: string,
    owner: MemoryOwner,
  ) => Promise<Outcome<{ readonly place: MemoryPlace }>>
  /** Every file of every scope, by name. */
  readonly list: (owner: MemoryOwner) => Promise<readonly MemoryFile[]>
  readonly read: (place: MemoryPlace) => Promise<Outcome<{ readonly text: string; readonly sha256: string }>>
  /** Replaces the whole file as one step; the old content becomes a version. */
  readonly write: (
    place: MemoryPlace,
    text: string,
    options?: MemoryWriteOptions,
  ) => Promise<ToolProblem | undefined>
  /** The content stays as a version. */
  readonly remove: (place: MemoryPlace) => Promise<ToolProblem | undefined>
  /** Earlier contents, newest first. */
  readonly versions: (place: MemoryPlace) => Promise<readonly string[]>
}

const VERSIONS = '.versions'
const INVALID: ToolProblem = { code: 'bad_path', message: 'Invalid memory file path' }
const MISSING: ToolProblem = { code: 'not_found', message: 'Memory file does not exist' }
const no = (problem: ToolProblem) => ({ ok: false, problem }) as const

/** Whom a session belongs to, where several share a server; undefined for its operator. */
export type TenantOf = (session_id: string) => Promise<string | undefined>

/** The folder is made when the first file is written. Tenants never see each other's notes, of any scope. */
export function createMemoryStore(given: string, tenantOf?: TenantOf): MemoryStore {
  // Found once: a link that takes its place later leads nothing elsewhere.
  const folder = canonicalPath(given)
  async function folderOf({ session_id }: MemoryOwner): Promise<string> {
    const tenant = await tenantOf?.(session_id)
    return tenant === undefined ? folder : join(folder, 'tenants', short(tenant))
  }
  return {
    locate: async (file_path, owner) => await locate(await folderOf(owner), file_path, owner),
    async list(owner) {
      const own = await folderOf(owner)
      const lists = SCOPES.map(scope => listScope(rootOf(own, scope, owner), scope))
      return (await Promise.all(lists)).flat()
    },
    read: readPlace,
    write,
    remove,
    versions,
  }
}

function rootOf(folder: string, scope: MemoryScope, { workspace, session_id }: MemoryOwner): string {
  switch (scope) {
    case 'user':
      return join(folder, 'user')
    case 'project':
      return join(folder, 'projects', short(canonicalPath(workspace)))
    case 'session':
      return join(folder, 'sessions', short(session_id))
  }
}

/** A file name for text that may hold anything. */
const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

const isScope = (text: string | undefined): text is MemoryScope => SCOPES.some(scope => scope === text)

async function locate(
  folder: string,
  file_path: string,
  owner: MemoryOwner,
): Promise<Outcome<{ readonly place: MemoryPlace }>> {
  const segments = file_path.split('/')
  const [first] = segments
  const scope = isScope(first) && segments.length > 1 ? first : 'project'
  const parts = isScope(first) && segments.length > 1 ? segments.slice(1) : segments
  if (file_path.length > 1000 || !parts.every(isPlain)) return no(INVALID)
  const root = rootOf(folder, scope, owner)
  const path = parts.join('/')
  if (await passesLink(root, parts)) return no(INVALID)
  return { ok: true, place: { scope, root, path, full: join(root, ...parts), name: `${scope}/${path}` } }
}

/** Neither empty nor hidden nor a way out. */
const isPlain = (segment: string): boolean =>
  segment !== '' && !segment.startsWith('.') && !/[\0\\:]/.test(segment) && Buffer.byteLength(segment) <= 255

async function passesLink(root: string, parts: readonly string[]): Promise<boolean> {
  let at = root
  for (const part of ['', ...parts]) {
    at = part === '' ? at : join(at, part)
    const found = await lstat(at).catch(() => undefined)
    if (!found) return false
    if (found.isSymbolicLink()) return true
  }
  return false
}

async function readPlace(
  place: MemoryPlace,
): Promise<Outcome<{ readonly text: string; readonly sha256: string }>> {
  try {
    const found = await lstat(place.full)
    if (!found.isFile()) return no(found.isDirectory() ? MISSING : INVALID)
    if (found.size > MEMORY_LIMITS.file_bytes) return no(tooLarge(place))
    const bytes = await readWhole(place.full, MEMORY_LIMITS.file_bytes)
    if (bytes.includes(0) || !isUtf8(bytes))
      return no({ code: 'binary_file', message: `${place.name} is not text.` })
    return { ok: true, text: bytes.toString('utf8'), sha256: hashOf(bytes) }
  } catch (error) {
    return no(error instanceof ChangedError ? INVALID : toProblem(error, place))
  }
}

async function write(
  place: MemoryPlace,
  text: string,
  { expect, beforeCommit }: MemoryWriteOptions = {},
): Promise<ToolProblem | undefined> {
  const bytes = Buffer.from(text)
  if (text.includes('\0')) return { code: 'binary_file', message: 'Memory files hold text only.' }
  if (bytes.length > MEMORY_LIMITS.file_bytes) return tooLarge(place)
  const full = await exceeds(place, bytes.length)
  if (full) return full
  try {
    const old = await readWhole(place.full).catch(absent)
    const before = old ? hashOf(old) : null
    if (expect !== undefined && expect !== before) throw new ChangedError('its content changed')
    if (old) await keepVersion(place, old)
    const commit = beforeCommit && (() => beforeCommit(before, hashOf(bytes)))
    await atomicWrite({
      path: place.full,
      bytes,
      expect: before,
      isPrivate: true,
      ...(commit ? { beforeCommit: commit } : {}),
    })
    return undefined
  } catch (error) {
    return toProblem(error, place)
  }
}

async function remove(place: MemoryPlace): Promise<ToolProblem | undefined> {
  try {
    const old = await readWhole(place.full)
    await keepVersion(place, old)
    await removeFile(place.full, hashOf(old))
    return undefined
  } catch (error) {
    return toProblem(error, place)
  }
}

/** Only a file that is not there counts as none; any other error stays one. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function exceeds(place: MemoryPlace, bytes: number): Promise<ToolProblem | undefined> {
  const others = (await listScope(place.root, place.scope)).filter(file => file.name !== place.name)
  if (others.length >= MEMORY_LIMITS.files)
    return { code: 'too_many', message: `The ${place.scope} memory holds ${others.length} files already.` }
  const total = others.reduce((sum, file) => sum + file.bytes, bytes)
  if (total <= MEMORY_LIMITS.bytes) return undefined
  return {
    code: 'too_large',
    message: `The ${place.scope} memory would hold ${total} bytes; at most ${MEMORY_LIMITS.bytes} are kept.`,
  }
}

async function listScope(root: string, scope: MemoryScope): Promise<readonly MemoryFile[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter(entry => entry.isFile() && !isHidden(root, entry.parentPath, entry.name))
  const found = await Promise.all(
    files.map(async entry => {
      const full = join(entry.parentPath, entry.name)
      const stat = await lstat(full).catch(() => undefined)
      return {
        name: `${scope}${full.slice(root.length)}`,
        bytes: stat?.size ?? 0,
        updated_at: (stat?.mtime ?? new Date(0)).toISOString(),
      }
    }),
  )
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

const isHidden = (root: string, parent: string, name: string): boolean =>
  join(parent, name)
    .slice(root.length)
    .split('/')
    .some(segment => segment.startsWith('.'))

const versionsOf = ({ root, path }: MemoryPlace): string => join(root, VERSIONS, short(path))

async function keepVersion(place: MemoryPlace, content: Uint8Array): Promise<void> {
  const directory = makePrivateDirectory(versionsOf(place))
  try {
    const names = (await readdir(directory.at('.'))).filter(isVersion).sort()
    const next = String(Number(names.at(-1) ?? 0) + 1).padStart(8, '0')
    await putFile(join(directory.path, next), content)
    for (const name of names.slice(0, Math.max(0, names.length + 1 - MEMORY_LIMITS.versions)))
      await rm(directory.at(name), { force: true })
  } finally {
    directory.close()
  }
}

const isVersion = (name: string): boolean => /^\d{8}$/.test(name)

async function versions(place: MemoryPlace): Promise<readonly string[]> {
  const names = await versionNames(versionsOf(place)).catch(() => [])
  const bytes = names.map(name => readWhole(join(versionsOf(place), name)))
  return (await Promise.all(bytes)).map(one => one.toString('utf8'))
}

/** Newest first. */
async function versionNames(path: string): Promise<readonly string[]> {
  const directory = holdDirectory(path)
  try {
    return (await readdir(directory.at('.'))).filter(isVersion).sort().reverse()
  } finally {
    directory.close()
  }
}

const tooLarge = ({ name }: MemoryPlace): ToolProblem => ({
  code: 'too_large',
  message: `${name} would be too large; a memory file may have at most ${MEMORY_LIMITS.file_bytes} bytes.`,
})

function toProblem(error: unknown, { name, full }: MemoryPlace): ToolProblem {
  if (error instanceof ChangedError)
    return {
      code: 'stale',
      retryable: true,
      message: `${name} has changed since it was read. Read it again before writing it.`,
    }
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return MISSING
  if (code === 'EISDIR' || code === 'ENOTDIR' || code === 'EEXIST') return INVALID
  return { code: toCode(code), message: `${name} (${basename(dirname(full))}): ${reasonOf(code)}.` }
}
