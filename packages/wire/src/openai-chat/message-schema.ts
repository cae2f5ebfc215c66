/** Messages of a Chat Completions request: what is read of them. Unknown fields are ignored, unknown parts refused. */
import type { ContentPart } from '@toolwire/core'
import { z } from 'zod'
import { toBase64Text } from '../shared/base64-text.ts'
import { MAX_TEXT } from '../shared/count-limits.ts'
import { FileId } from '../shared/file-id.ts'

const MAX_MEDIA = 32_000_000

const text = z.string().max(MAX_TEXT)
const id = z.string().min(1).max(256)

const textPart = z.object({ type: z.literal('text'), text })
const refusalPart = z.object({ type: z.literal('refusal'), refusal: text })

const imagePart = z
  .object({
    type: z.literal('image_url'),
    image_url: z.union([z.string().max(MAX_MEDIA), z.object({ url: z.string().max(MAX_MEDIA) })]),
  })
  .transform((part, context): ContentPart => {
    const url = typeof part.image_url === 'string' ? part.image_url : part.image_url.url
    const inline = readDataUrl(url)
    if (inline) return { type: 'image', source: { type: 'base64', ...inline } }
    if (/^https?:\/\//.test(url) && URL.canParse(url)) return { type: 'image', source: { type: 'url', url } }
    context.addIssue({ code: 'custom', message: 'an image address is http(s) or a base64 data URL' })
    return z.NEVER
  })

const filePart = z
  .object({
    type: z.literal('file'),
    file: z.object({
      filename: z.string().max(1000).optional(),
      file_data: z.string().max(MAX_MEDIA).optional(),
      file_id: FileId.optional(),
    }),
  })
  .transform(({ file }, context): ContentPart => {
    if (file.file_id !== undefined) return { type: 'file', source: { type: 'file', file_id: file.file_id } }
    const inline = readDataUrl(file.file_data ?? '')
    if (!inline) {
      context.addIssue({
        code: 'custom',
        message: 'a file is sent as file_id, or as file_data, a base64 data URL',
      })
      return z.NEVER
    }
    const title = file.filename === undefined ? {} : { title: file.filename }
    if (!inline.media_type.startsWith('text/'))
      return { type: 'document', source: { type: 'base64', ...inline }, ...title }
    const data = decodeText(inline.data)
    if (data === undefined) {
      context.addIssue({ code: 'custom', message: 'file_data is not valid base64' })
      return z.NEVER
    }
    return { type: 'document', source: { type: 'text', media_type: inline.media_type, data }, ...title }
  })

/** Undefined when the text has the letters of base64 but not its form. */
function decodeText(base64: string): string | undefined {
  try {
    return toBase64Text(base64)
  } catch {
    return undefined
  }
}

function readDataUrl(url: string): { readonly media_type: string; readonly data: string } | undefined {
  const found = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.-]+)*;base64,([A-Za-z0-9+/]*={0,2})$/.exec(url)
  return found ? { media_type: found[1] ?? '', data: found[2] ?? '' } : undefined
}

const part = z.union([textPart, imagePart, filePart], {
  error: 'a part is text, image_url or file (as file_data or file_id); other kinds are not supported',
})
const parts = z.array(part).max(1024)
/** Content of what people and tools say; nothing at all is an empty list. */
const content = z
  .union([text.transform((value): ContentPart[] => [{ type: 'text', text: value }]), parts])
  .nullish()
  .transform(value => value ?? [])

const assistantContent = z
  .union([
    text,
    z
      .array(z.union([textPart, refusalPart]))
      .transform(list => list.map(one => (one.type === 'text' ? one.text : one.refusal)).join('')),
  ])
  .nullish()
  .transform(value => value ?? '')

const call = z.object({
  id,
  type: z.literal('function', { error: 'only calls of functions are supported' }).default('function'),
  function: z.object({ name: z.string().min(1).max(256), arguments: text.default('') }),
})

const system = z.object({ role: z.enum(['system', 'developer']), content })
const user = z.object({ role: z.literal('user'), content, name: z.string().optional() })
const assistant = z.object({
  role: z.literal('assistant'),
  content: assistantContent,
  refusal: text.nullish(),
  reasoning_content: text.nullish(),
  tool_calls: z.array(call).max(256).nullish(),
  function_call: z.object({ name: z.string().min(1).max(256), arguments: text.default('') }).nullish(),
})
const tool = z.object({
  role: z.literal('tool'),
  tool_call_id: id.nullish(),
  content,
  is_error: z.boolean().optional(),
})
const legacy = z.object({ role: z.literal('function'), name: z.string().min(1).max(256), content })

export const RequestMessage = z.discriminatedUnion('role', [system, user, assistant, tool, legacy])
export type RequestMessage = z.output<typeof RequestMessage>
