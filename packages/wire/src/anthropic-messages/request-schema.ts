/** The body of a Messages request: what is read of it. Unknown fields are ignored, unknown blocks refused. */
import type { ContentPart } from '@toolwire/core'
import { z } from 'zod'
import { MAX_MESSAGES, MAX_TEXT } from '../shared/count-limits.ts'
import { FileId } from '../shared/file-id.ts'

const MAX_MEDIA = 32_000_000

const text = z.string().max(MAX_TEXT)
const id = z.string().min(1).max(256)
const source = z.discriminatedUnion('type', [
  z.object({ type: z.literal('base64'), media_type: z.string().max(255), data: z.string().max(MAX_MEDIA) }),
  z.object({ type: z.literal('url'), url: z.url().max(8192) }),
  z.object({ type: z.literal('text'), media_type: z.string().max(255), data: text }),
  z.object({ type: z.literal('file'), file_id: FileId }),
])

const textBlock = z.object({ type: z.literal('text'), text })
const saidBlock = z.object({ type: z.literal('text'), text, citations: z.array(z.unknown()).nullish() })
const image = z.object({ type: z.literal('image'), source })
const document = z.object({ type: z.literal('document'), source, title: z.string().max(1000).nullish() })
const part = z.discriminatedUnion('type', [textBlock, image, document]).transform((block): ContentPart => {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (block.type === 'image') return { type: 'image', source: block.source }
  return { type: 'document', source: block.source, ...(block.title ? { title: block.title } : {}) }
})

/** Only inside results. It has no place in other providers' APIs, so it travels as its words. */
const searchResult = z
  .object({
    type: z.literal('search_result'),
    title: z.string().max(10_000).nullish(),
    source: z.string().max(10_000).nullish(),
    content: z.array(textBlock).max(1024),
  })
  .transform(({ title, source: from, content: texts }): ContentPart => {
    const head = [title, from].filter(Boolean).join(' – ')
    return { type: 'text', text: [head, ...texts.map(block => block.text)].filter(Boolean).join('\n') }
  })

const content = z.union([
  text.transform((value): ContentPart[] => [{ type: 'text', text: value }]),
  z.array(z.union([part, searchResult])).max(1024),
])
const toolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: id,
  content: content.nullish().transform(value => value ?? []),
  is_error: z.boolean().nullish(),
})
const userBlock = z.union([toolResult, part], {
  error: 'a block is text, image, document or tool_result; other kinds are not supported',
})
const asBlocks = <Block>(block: z.ZodType<Block>) =>
  z.union([text.transform(value => [{ type: 'text' as const, text: value }]), z.array(block).max(4096)])

/** Blocks of provider-run tools: `server_tool_use`, `web_search_tool_result` and similar. Kept whole. */
const providerBlock = z
  .looseObject({
    type: z.string().regex(/^(server_tool_use|mcp_tool_use|container_upload|\w+_tool_result)$/),
  })
  .transform(data => ({ type: 'provider' as const, data }))

const ownBlock = z.discriminatedUnion('type', [
  saidBlock,
  z.object({ type: z.literal('thinking'), thinking: text, signature: text.nullish() }),
  z.object({ type: z.literal('redacted_thinking'), data: text }),
  z.object({ type: z.literal('tool_use'), id, name: z.string().min(1).max(256), input: z.unknown() }),
])
const assistantBlock = z.union([ownBlock, providerBlock], {
  error:
    'a block is text, thinking, redacted_thinking, tool_use or what the provider ran itself; other kinds are not supported',
})

const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: asBlocks(userBlock) }),
  z.object({ role: z.literal('assistant'), content: asBlocks(assistantBlock) }),
  z.object({ role: z.literal('system'), content: asBlocks(textBlock) }),
])
export type RequestMessage = z.output<typeof message>

/** `type` is absent or custom for tools of the client; other types are tools that the provider runs. */
const tool = z.looseObject({ type: z.string().max(128).nullish(), name: z.string().optional() })

const single = { disable_parallel_tool_use: z.boolean().nullish() }
const toolChoice = z.discriminatedUnion('type', [
  z.object({ type: z.literal('auto'), ...single }),
  z.object({ type: z.literal('any'), ...single }),
  z.object({ type: z.literal('tool'), name: z.string().max(256), ...single }),
  z.object({ type: z.literal('none') }),
])

const thread = z.discriminatedUnion('type', [
  z.object({ type: z.literal('create') }),
  z.object({ type: z.literal('continue'), previous_message_id: z.string().min(1).max(512) }),
])

export const MessagesRequest = z.object({
  model: z.string().min(1).max(256).optional(),
  messages: z.array(message).max(MAX_MESSAGES),
  system: z.union([text.transform(value => [{ text: value }]), z.array(textBlock)]).nullish(),
  max_tokens: z.number().positive().optional(),
  stream: z.boolean().nullish(),
  tools: z.array(tool).max(256).nullish(),
  tool_choice: toolChoice.nullish(),
  thinking: z.looseObject({ type: z.string() }).nullish(),
  output_config: z.record(z.string(), z.unknown()).nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.number().nullish(),
  service_tier: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  mcp_servers: z
    .array(z.unknown())
    .max(0, { error: 'servers of the Model Context Protocol are set up at this server, not by a request' })
    .nullish(),
  cache_control: z.unknown().optional(),
  thread: thread.nullish(),
})
export type MessagesRequest = z.output<typeof MessagesRequest>
