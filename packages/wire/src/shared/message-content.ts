/** The content that a user may send: a string, or parts in Anthropic's or OpenAI's format. Pure. */
import type { ContentPart, MediaPart } from '@toolwire/core'
import { z } from 'zod'
import { MAX_TEXT as MAX_MESSAGE, TEXT_LIMIT, textSize } from './count-limits.ts'
import { FileId } from './file-id.ts'

const MAX_TEXT = 1_000_000
const MAX_MEDIA = 32_000_000
const MAX_PARTS = 256

const text = z.string().max(MAX_TEXT)
const mediaType = z.string().max(255)
const source = z.discriminatedUnion('type', [
  z.object({ type: z.literal('base64'), media_type: mediaType, data: z.base64().max(MAX_MEDIA) }),
  z.object({ type: z.literal('url'), url: z.url().max(8192), media_type: mediaType.optional() }),
  z.object({ type: z.literal('text'), media_type: mediaType, data: text }),
  z.object({ type: z.literal('file'), file_id: FileId }),
])

const media = (type: MediaPart['type']) =>
  z.object({ type: z.literal(type), source, title: z.string().max(1000).optional() })

const imageUrl = z
  .object({
    type: z.literal('image_url'),
    image_url: z.union([z.string().max(MAX_MEDIA), z.object({ url: z.string().max(MAX_MEDIA) })]),
  })
  .transform((part, context): ContentPart => {
    const url = typeof part.image_url === 'string' ? part.image_url : part.image_url.url
    const inline = /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/]*={0,2})$/.exec(url)
    if (inline)
      return { type: 'image', source: { type: 'base64', media_type: inline[1] ?? '', data: inline[2] ?? '' } }
    if (/^https?:\/\//.test(url) && URL.canParse(url)) return { type: 'image', source: { type: 'url', url } }
    context.addIssue({ code: 'custom', message: 'an image address is http(s) or a base64 data URL' })
    return z.NEVER
  })

const part = z.union([
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text }),
    media('image'),
    media('document'),
    media('audio'),
    media('file').refine(
      ({ source: { type } }) => type === 'file',
      'a part of the type file names a stored file',
    ),
  ]),
  imageUrl,
])

/** Content parts, at least one; a string is one text part. */
export const MessageContent = z.union([
  text.transform((value): ContentPart[] => (value === '' ? [] : [{ type: 'text', text: value }])),
  z
    .array(part)
    .max(MAX_PARTS)
    .refine(parts => textSize(parts) <= MAX_MESSAGE, TEXT_LIMIT),
])
