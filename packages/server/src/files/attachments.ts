/**
 * Parts of messages whose bytes are in the store: names of files are checked and completed, and long inline data becomes
 * a file, before the event is appended. The session then refers to them.
 */
import { createHash } from 'node:crypto'
import {
  AppError,
  type ContentPart,
  type FileSource,
  type FileStore,
  isLargeInline,
  isTextType,
  type MediaPart,
  partTypeOf,
  type SessionEvent,
  type StoredFile,
  safeFileName,
} from '@toolwire/core'
import { type AttachmentPort, yieldToLoop } from '@toolwire/session'
import type { Clock } from '../context.ts'
import { inspectContent } from './inspect-content.ts'

export interface AttachmentOptions {
  readonly files: FileStore
  /** The owner of the request. */
  readonly owner: () => string
  readonly clock: Clock
}

const DAY_MS = 86_400_000
const STEP = 1024 * 1024

export const createAttachments = (options: AttachmentOptions): AttachmentPort => ({
  async settle({ session, events }) {
    if (!events.some(event => contentOf(event).some(isAttached))) return events
    const stored = new Map<ContentPart, FileSource>()
    for (const part of events.flatMap(contentOf))
      if (isAttached(part) && isLargeInline(part.source))
        stored.set(part, { type: 'file', file_id: await storeInline(options, part, part.source.data) })
    const sources = events.flatMap(contentOf).flatMap(part => {
      const source = isAttached(part) ? (stored.get(part) ?? part.source) : undefined
      return source?.type === 'file' ? [source] : []
    })
    const files = await refer(options, session, sources)
    const settled = (part: ContentPart): ContentPart => {
      if (!isAttached(part)) return part
      const source = stored.get(part) ?? part.source
      const file = source.type === 'file' ? files.get(source.file_id) : undefined
      return file ? toPart(part, file) : part
    }
    return events.map(event => withContent(event, settled))
  },
})

/** Files by their ids. Throws `file_not_found` for one that a request names and its owner does not have. */
async function refer(
  { files, owner }: AttachmentOptions,
  session: string,
  sources: readonly FileSource[],
): Promise<ReadonlyMap<string, StoredFile>> {
  const ids = sources.map(source => source.file_id)
  const found = new Map((await files.refer(owner(), session, ids)).map(file => [file.id, file]))
  // One that is complete comes from a log: it may have been deleted since.
  const missing = sources.find(source => source.sha256 === undefined && !found.has(source.file_id))
  if (missing)
    throw new AppError('file_not_found', `No such file: ${JSON.stringify(missing.file_id.slice(0, 100))}.`)
  return found
}

/** The same data of an owner is the same file, so that a repeated request stores nothing. */
async function storeInline(
  { files, owner: ownerOf, clock }: AttachmentOptions,
  { source, title }: MediaPart,
  data: string,
): Promise<string> {
  const owner = ownerOf()
  const bytes = Buffer.from(data, 'base64')
  const inspector = inspectContent(title ?? '', 'note')
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.length; at += STEP) {
    hash.update(bytes.subarray(at, at + STEP))
    inspector.add(bytes.subarray(at, at + STEP))
    await yieldToLoop()
  }
  const digest = createHash('sha256').update(JSON.stringify(['inline', owner, hash.digest('hex')]))
  const id = `file_${digest.digest('hex').slice(0, 32)}`
  if (await files.get(owner, id)) return id
  const facts = inspector.finish()
  const declared = facts.media_type === 'application/octet-stream' ? source.media_type : undefined
  const upload = await files.begin(owner)
  try {
    for (let at = 0; at < bytes.length; at += STEP) await upload.write(bytes.subarray(at, at + STEP))
    const now = clock.now().getTime()
    const filename = title ?? 'file'
    await upload.finish({
      ...facts,
      // Models of some providers take formats that are not recognized here.
      media_type: declared ?? facts.media_type,
      id,
      filename: safeFileName(filename),
      created_at: now,
      expires_at: now + DAY_MS,
    })
    return id
  } catch (error) {
    await upload.abort()
    throw error
  }
}

function toPart(
  part: MediaPart,
  { id, sha256, bytes, media_type, filename, problem }: StoredFile,
): ContentPart {
  const source = { type: 'file' as const, file_id: id, sha256, bytes, media_type, filename }
  return {
    ...part,
    type: partTypeOf(media_type, isTextType(media_type)),
    source: { ...source, ...(problem === undefined ? {} : { problem }) },
  }
}

const isAttached = (part: ContentPart): part is MediaPart =>
  part.type !== 'text' && (part.source.type === 'file' || isLargeInline(part.source))

const contentOf = (event: SessionEvent): readonly ContentPart[] =>
  'content' in event && Array.isArray(event.content) ? event.content : []

const withContent = (event: SessionEvent, settled: (part: ContentPart) => ContentPart): SessionEvent =>
  'content' in event && event.content ? { ...event, content: event.content.map(settled) } : event
