/** Parts of messages whose bytes are in the store of files, and parts that hold them. */
import type { ContentPart } from '../event.ts'

export type MediaPart = Exclude<ContentPart, { type: 'text' }>
type MediaSource = MediaPart['source']
export type FileSource = Extract<MediaSource, { type: 'file' }>
export type InlinePart =
  | Extract<ContentPart, { type: 'text' }>
  | {
      readonly type: 'image' | 'document' | 'audio'
      readonly source: Exclude<MediaSource, FileSource>
      readonly title?: string | undefined
    }

/** Characters of base64: 64 KiB. Longer data are stored as a file. */
const MAX_INLINE = Math.ceil((64 * 1024) / 3) * 4

export const isLargeInline = (source: MediaSource): source is Extract<MediaSource, { type: 'base64' }> =>
  source.type === 'base64' && source.data.length > MAX_INLINE

/** The part of a message that holds a file of this type; `file` if no model takes it. */
export function partTypeOf(media_type: string, isText: boolean): MediaPart['type'] {
  if (media_type === 'application/pdf' || isText) return 'document'
  if (media_type.startsWith('image/')) return 'image'
  return media_type.startsWith('audio/') ? 'audio' : 'file'
}

/** A note in place of a part that is not sent. Pure. */
export function leftOutNote(
  { type, title, source }: MediaPart,
  why: string,
): Extract<InlinePart, { type: 'text' }> {
  const name = title ?? (source.type === 'file' ? source.filename : undefined)
  const quoted = name === undefined ? '' : ` ${JSON.stringify(name)}`
  return { type: 'text', text: `[The ${type}${quoted} that was here is left out: ${why}.]` }
}

/** A part for a model. The runtime has loaded its files; one that is left is a note. Pure. */
export function toInline(part: ContentPart): InlinePart {
  if (part.type === 'text') return part
  const { type, source, title } = part
  if (type === 'file' || source.type === 'file') return leftOutNote(part, 'it cannot be shown')
  return { type, source, ...(title === undefined ? {} : { title }) }
}

/** The path below a server's base path under which a file is read. */
export const fileContentPath = ({ file_id }: FileSource): string =>
  `/api/files/${encodeURIComponent(file_id)}/content?disposition=inline`
