/** Files of the caller, for the routes of every API. */
import { AppError, FILE_LIMITS, type FileStore, nameInDisposition, type StoredFile } from '@toolwire/core'
import { loadGroupSecret } from '../access/group-secret.ts'
import { recordAudit } from '../access/record-audit.ts'
import type { ServerContext } from '../context.ts'
import type { Exchange } from '../http/exchange.ts'
import { idFromKey } from '../sessions/id-from-key.ts'
import { receiveFile } from './receive-file.ts'
import { boundChunks, isForm, receiveForm } from './receive-form.ts'

/** Throws `file_not_found` and `file_in_use`. */
export async function deleteFile(context: ServerContext, id: string, force: boolean): Promise<void> {
  const result = await filesOf(context).remove(context.principal().owner, id, force)
  if (result === 'missing') throw new AppError('file_not_found')
  if (result === 'used') throw new AppError('file_in_use')
  await recordAudit(context, 'file.deleted', { details: { file: id, force } })
}

/** Throws `file_not_found`. */
export async function findFile(context: ServerContext, id: string): Promise<StoredFile> {
  const file = await filesOf(context).get(context.principal().owner, id)
  if (!file) throw new AppError('file_not_found')
  return file
}

/** Throws `not_found` on a server without files. */
export function filesOf({ files }: Pick<ServerContext, 'files'>): FileStore {
  if (!files) throw new AppError('not_found', 'This server stores no files.')
  return files
}

export const newFileId = ({ ids }: Pick<ServerContext, 'ids'>): string => toFileId(ids.uuid())

const toFileId = (uuid: string): string => `file_${uuid.replaceAll('-', '')}`

/**
 * The id for an idempotency key. Tokens for some sessions share an owner and reach files by their ids, so an id cannot be
 * worked out from the key, and each of them has separate keys.
 */
export async function keyedFileId(context: ServerContext, key: string): Promise<string> {
  const { owner, token } = context.principal()
  const { records } = context
  const secret = records && (await loadGroupSecret(records, 'file_secret', 'id'))
  const holder = token?.sessions === 'new' ? token.id : token?.sessions
  return toFileId(idFromKey('file', owner, JSON.stringify([secret, holder, key])))
}

/** The fields of a form beside its file. */
type Fields = Readonly<Record<string, string>>

export interface StoreRequest {
  readonly id: string
  /** Reads the fields of a form, or what replaces them for a body that is the file. Throws `bad_request`. */
  readonly read: (fields: Fields | undefined) => {
    readonly lifetimeS: number
    readonly purpose?: string | undefined
  }
  /** For a body that is the file itself; only forms are taken when absent. */
  readonly filename?: string | undefined
}

/** Receives and stores the file of a request, with its entry in the audit trail. */
export async function storeFile(
  exchange: Exchange,
  context: ServerContext,
  { id, read, filename }: StoreRequest,
): Promise<StoredFile> {
  const { file, fields } = await receive(exchange, context, filename)
  let settings: ReturnType<StoreRequest['read']>
  try {
    settings = read(fields)
  } catch (error) {
    await file.abort()
    throw error
  }
  const now = context.clock.now().getTime()
  const { lifetimeS, purpose } = settings
  const stored = await file.finish({ id, now, lifetimeMs: lifetimeS * 1000, purpose })
  await recordAudit(context, 'file.created', { details: { file: stored.id, sha256: stored.sha256 } })
  return stored
}

async function receive(exchange: Exchange, context: ServerContext, filename: string | undefined) {
  const files = filesOf(context)
  const { owner } = context.principal()
  const max = FILE_LIMITS.file
  if (isForm(exchange)) return await receiveForm(exchange, { files, owner, max })
  if (filename === undefined)
    throw new AppError('unsupported_media_type', 'This route takes multipart/form-data.')
  checkLength(exchange, max)
  const named = nameInDisposition(exchange.headers['content-disposition'] ?? '')
  const chunks = boundChunks(exchange.readChunks(), max)
  return {
    file: await receiveFile(files, owner, { filename: filename || named || 'file', chunks }),
    fields: undefined,
  }
}

/** Nothing is read of a body that says itself that it is too large. */
function checkLength({ headers }: Exchange, max: number): void {
  if (Number(headers['content-length'] ?? 0) > max)
    throw new AppError('payload_too_large', `A file has at most ${max} bytes.`)
}
