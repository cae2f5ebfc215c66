/** The messages of one model request: bounded media, and files loaded from the store. */
import {
  AppError,
  type ContentPart,
  type FileSource,
  type FileStore,
  fenceHistory,
  type HistoryMessage,
  isTextType,
  leftOutNote,
  type MediaPart,
  modelHistory,
  type Warning,
} from '@toolwire/core'
import { boundMedia, type MediaBudget, withChanges } from './bound-media.ts'

/** Files of sessions, for models. */
export type FileReader = Pick<FileStore, 'ofSession' | 'read'>

export interface RequestMessages {
  readonly messages: readonly HistoryMessage[]
  /** For parts of the newest messages that are not sent. */
  readonly warnings: readonly Warning[]
}

interface MessageOptions {
  readonly session_id: string
  readonly boundary: string
  readonly media?: MediaBudget | undefined
  readonly files?: FileReader | undefined
}

/** Never rejects: a file that is gone, or cannot be read now, is a note. */
export async function requestMessages(
  state: Parameters<typeof modelHistory>[0],
  options: MessageOptions,
): Promise<RequestMessages> {
  const history = fenceHistory(modelHistory(state), options.boundary)
  const bounded = boundMedia(history, options.media)
  const loaded = await loadFiles(bounded, options)
  // Again: only now is the data there whose type is checked.
  const messages = loaded === bounded ? bounded : boundMedia(loaded, options.media)
  return { messages, warnings: warningsOf(history, messages) }
}

async function loadFiles(
  messages: readonly HistoryMessage[],
  options: MessageOptions,
): Promise<readonly HistoryMessage[]> {
  const changed = new Map<ContentPart, ContentPart>()
  // One after the other: all of them in memory at once are as much as a request may hold.
  for (const part of messages.flatMap(partsOf))
    if (part.type !== 'text' && part.source.type === 'file')
      changed.set(part, await loadPart(part, part.source, options))
  return changed.size === 0 ? messages : messages.map(message => withChanges(message, changed))
}

async function loadPart(
  part: MediaPart,
  source: FileSource,
  { session_id, files }: MessageOptions,
): Promise<ContentPart> {
  const bytes = files
    ? await readFile(files, session_id, source).catch(() => 'unreadable' as const)
    : undefined
  if (bytes === 'unreadable') return leftOutNote(part, 'it could not be read')
  if (!bytes) return leftOutNote(part, 'it was deleted')
  const { type } = part
  const { media_type = 'application/octet-stream' } = source
  const title = part.title ?? source.filename
  const named = title === undefined ? {} : { title }
  if (isTextType(media_type))
    return { type: 'document', source: { type: 'text', media_type, data: bytes.toString('utf8') }, ...named }
  return { type, source: { type: 'base64', media_type, data: bytes.toString('base64') }, ...named }
}

/** Undefined for a file that was deleted, also while it is read. */
async function readFile(files: FileReader, session: string, source: FileSource): Promise<Buffer | undefined> {
  const file = await files.ofSession(session, source.file_id)
  if (!file || file.sha256 !== source.sha256) return undefined
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of files.read(file)) chunks.push(chunk)
  } catch (error) {
    if (AppError.is(error) && error.code === 'file_not_found') return undefined
    throw error
  }
  return Buffer.concat(chunks)
}

const partsOf = (message: HistoryMessage): readonly ContentPart[] => {
  if (message.role === 'assistant') return []
  return message.role === 'tool' ? message.results.flatMap(one => one.content) : message.content
}

/** Once per part: later requests leave it out without a word. */
function warningsOf(before: readonly HistoryMessage[], after: readonly HistoryMessage[]): readonly Warning[] {
  const from = before.findLastIndex(message => message.role === 'assistant') + 1
  const sent = after.slice(from).flatMap(partsOf)
  return before
    .slice(from)
    .flatMap(partsOf)
    .flatMap((part, at): readonly Warning[] => {
      const now = sent[at]
      return part.type !== 'text' && now?.type === 'text'
        ? [{ code: 'media_left_out', message: now.text.slice(1, -1) }]
        : []
    })
}
