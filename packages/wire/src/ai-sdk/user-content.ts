/** Texts and files that a person sends from a page. Pure. */
import type { ContentPart, MediaPart } from '@toolwire/core'
import { z } from 'zod'
import { toBase64Text } from '../shared/base64-text.ts'
import { MAX_TEXT as MAX_MESSAGE, TEXT_LIMIT, textSize } from '../shared/count-limits.ts'
import { fileInAddress } from '../shared/file-id.ts'

const MAX_TEXT = 1_000_000
const MAX_URL = 32_000_000
const MAX_PARTS = 256
const TEXT_TYPES = /^(text\/[\w.+-]+|application\/(json|xml|x-ndjson|x-ipynb\+json))$/

const text = z
  .object({ type: z.literal('text'), text: z.string().max(MAX_TEXT) })
  .transform((part): ContentPart => ({ type: 'text', text: part.text }))

const file = z
  .object({
    type: z.literal('file'),
    mediaType: z
      .string()
      .regex(/^[\w.+-]{1,100}\/[\w.+*-]{1,100}$/, 'a media type has the form type/subtype'),
    filename: z.string().max(1000).nullish(),
    url: z.string().max(MAX_URL),
  })
  .transform((part, context): ContentPart => {
    const title = part.filename ? { title: part.filename } : {}
    const source = toSource(part.url, part.mediaType)
    if (source) return { type: source.type === 'file' ? 'file' : kindOf(part.mediaType), source, ...title }
    context.addIssue({
      code: 'custom',
      path: ['url'],
      message: 'a file is a base64 data URL, an http(s) address, or the address of an uploaded file',
    })
    return z.NEVER
  })

function toSource(url: string, mediaType: string): MediaPart['source'] | undefined {
  const stored = url.startsWith('data:') ? undefined : fileInAddress(url)
  if (stored) return stored
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return { type: 'url', url, media_type: mediaType }
  const comma = url.indexOf(',')
  const head = url.slice(0, comma)
  if (comma < 0 || !/^data:[^,]{0,200};base64$/.test(head)) return undefined
  const data = url.slice(comma + 1)
  if (!z.base64().safeParse(data).success) return undefined
  if (!TEXT_TYPES.test(mediaType)) return { type: 'base64', media_type: mediaType, data }
  return { type: 'text', media_type: mediaType, data: toBase64Text(data) }
}

function kindOf(mediaType: string): 'image' | 'audio' | 'document' {
  if (mediaType.startsWith('image/')) return 'image'
  return mediaType.startsWith('audio/') ? 'audio' : 'document'
}

/** Parts without content (data, sources) are left out: a page may add them for itself. */
export const UserParts = z
  .array(z.object({ type: z.string().max(256) }).loose())
  .max(MAX_PARTS)
  .transform(parts => parts.filter(part => part.type === 'text' || part.type === 'file'))
  .pipe(
    z
      .array(z.discriminatedUnion('type', [text, file]))
      .refine(parts => textSize(parts) <= MAX_MESSAGE, TEXT_LIMIT),
  )
