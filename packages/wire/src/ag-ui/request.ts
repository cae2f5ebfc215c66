/**
 * `RunAgentInput` of AG-UI clients. Of the messages only new user messages and answers to open calls are read; `resume`
 * answers interrupts. Anything that is not clearly a consent is rejected, never read as one.
 */
import { AppError, type ContentPart, type ToolSpec } from '@toolwire/core'
import { z } from 'zod'
import { ClientId } from '../shared/client-id.ts'
import { ClientTools } from '../shared/client-tools.ts'
import { MAX_MESSAGES } from '../shared/count-limits.ts'
import { FileId } from '../shared/file-id.ts'
import type { PageDecision, PageOutput } from '../shared/page-answers.ts'
import { toPageContext } from '../shared/page-context.ts'
import { type PageText, readPageTexts, textIn } from '../shared/page-text.ts'
import { parseBody } from '../shared/parse-body.ts'

const MAX_STATE = 262_144
const MAX_CONTEXT = 65_536
const MAX_OUTPUT = 4_000_000
const MAX_ANSWERS = 256
const MAX_DATA = 32_000_000

const AnyMessage = z.looseObject({ id: z.string().max(256).nullish(), role: z.string().max(64) })

export const AgUiBody = z.object({
  threadId: ClientId,
  runId: ClientId,
  protocolVersion: z.string().max(32).nullish(),
  state: z.unknown().optional(),
  messages: z.array(AnyMessage).max(MAX_MESSAGES),
  tools: ClientTools.nullish(),
  context: z
    .array(z.object({ description: z.string(), value: z.string() }))
    .max(256)
    .nullish(),
  forwardedProps: z.unknown().optional(),
  resume: z
    .array(
      z.object({
        interruptId: z.string().min(1).max(256),
        status: z.enum(['resolved', 'cancelled']),
        payload: z.unknown().optional(),
      }),
    )
    .max(MAX_ANSWERS)
    .nullish(),
})

export interface InterruptAnswer {
  readonly id: string
  readonly isCancelled: boolean
  readonly payload: unknown
}

export interface AgUiRequest {
  readonly thread_id: string
  readonly run_id: string
  readonly isVersion1: boolean
  /** The new user message, with the page's context. */
  readonly message?: { readonly id?: string; readonly content: readonly ContentPart[] }
  /** Ids of the user messages before it. */
  readonly earlier: readonly string[]
  readonly outputs: readonly PageOutput[]
  readonly resume: readonly InterruptAnswer[]
  readonly tools?: readonly ToolSpec[]
  /** The page's state, as JSON; absent when it is empty. */
  readonly state?: unknown
  /** Asks for suggestions of what to write next, not for an answer. */
  readonly isSuggestion: boolean
  /** The end of the conversation as the page shows it: it is no fact. */
  readonly texts: () => readonly PageText[]
}

/** Decodes the body of a run. Throws `bad_request` or `payload_too_large`. */
export function decodeAgUiRequest(body: unknown): AgUiRequest {
  const fields = parseBody(AgUiBody, body)
  const context = toContext(fields.context ?? [])
  const last = fields.messages.at(-1)
  const content = last?.role === 'user' ? toContent(last['content']) : []
  const message = content.length > 0 ? { content: [...content, ...context] } : undefined
  const hasState =
    typeof fields.state === 'object' && fields.state !== null && Object.keys(fields.state).length > 0
  if (hasState && JSON.stringify(fields.state).length > MAX_STATE)
    throw new AppError('payload_too_large', `state: at most ${MAX_STATE} characters are allowed`)
  const isSuggestion = fields.tools?.length === 1 && fields.tools[0]?.name === 'copilotkitSuggest'
  return {
    thread_id: fields.threadId,
    run_id: fields.runId,
    isVersion1: fields.protocolVersion?.startsWith('1.') ?? false,
    ...(message ? { message: last?.id ? { id: last.id, ...message } : message } : {}),
    earlier: fields.messages
      .slice(0, -1)
      .flatMap(({ id, role }) => (role === 'user' && typeof id === 'string' ? [id] : [])),
    outputs: fields.messages.flatMap(toOutput).slice(-MAX_ANSWERS),
    resume: (fields.resume ?? []).map(({ interruptId, status, payload }) => ({
      id: interruptId,
      isCancelled: status === 'cancelled',
      payload,
    })),
    ...(fields.tools ? { tools: fields.tools } : {}),
    ...(hasState ? { state: fields.state } : {}),
    isSuggestion,
    texts: () => readPageTexts(fields.messages, readText),
  }
}

/** Instructions that the page adds to its request are the user's words here. */
function readText(message: z.output<typeof AnyMessage>): string | undefined {
  const { role, content } = message as Readonly<Record<string, unknown>>
  if (role === 'tool' || role === 'reasoning' || role === 'activity') return undefined
  return typeof content === 'string' ? content : textIn(content)
}

function toContext(
  items: readonly { readonly description: string; readonly value: string }[],
): ContentPart[] {
  if (items.length === 0) return []
  const text = items.map(({ description, value }) => `${description}: ${value}`).join('\n')
  if (text.length > MAX_CONTEXT)
    throw new AppError('payload_too_large', `context: at most ${MAX_CONTEXT} characters are allowed`)
  return [toPageContext(text)]
}

const mimeType = z.string().max(255)
const Media = z.object({
  type: z.enum(['image', 'audio', 'document']),
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('file'), value: FileId, provider: z.literal('toolwire').nullish() }),
    z.object({ type: z.literal('data'), value: z.base64().max(MAX_DATA), mimeType }),
    z.object({
      type: z.literal('url'),
      value: z.url({ protocol: /^https?$/ }).max(8192),
      mimeType: mimeType.nullish(),
    }),
  ]),
})
const Binary = z.object({ type: z.literal('binary'), mimeType, data: z.base64().max(MAX_DATA) })
const Content = z.union([
  z.string().max(1_000_000),
  z
    .array(z.union([z.object({ type: z.literal('text'), text: z.string().max(1_000_000) }), Media, Binary]))
    .max(256),
])

function toContent(value: unknown): readonly ContentPart[] {
  const parsed = Content.safeParse(value)
  if (!parsed.success)
    throw new AppError(
      'bad_request',
      'messages: the content of the last message is not text, an image, audio or a document',
    )
  if (typeof parsed.data === 'string') return parsed.data === '' ? [] : [{ type: 'text', text: parsed.data }]
  return parsed.data.map((part): ContentPart => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    if (part.type === 'binary') return toMedia(kindOf(part.mimeType), part.data, part.mimeType)
    const { source } = part
    if (source.type === 'file') return { type: 'file', source: { type: 'file', file_id: source.value } }
    if (source.type === 'url') return { type: part.type, source: { type: 'url', url: source.value } }
    return toMedia(part.type, source.value, source.mimeType)
  })
}

const toMedia = (type: 'image' | 'audio' | 'document', data: string, media_type: string): ContentPart => ({
  type,
  source: { type: 'base64', media_type, data },
})

function kindOf(mediaType: string): 'image' | 'audio' | 'document' {
  if (mediaType.startsWith('image/')) return 'image'
  return mediaType.startsWith('audio/') ? 'audio' : 'document'
}

/** A tool message: a claim, whatever its call is. */
function toOutput(message: z.output<typeof AnyMessage>): PageOutput[] {
  const { role, toolCallId: call_id, content, error } = message as Readonly<Record<string, unknown>>
  if (role !== 'tool' || typeof call_id !== 'string' || call_id === '') return []
  const output_text = typeof content === 'string' ? content : (JSON.stringify(content) ?? '')
  if (output_text.length > MAX_OUTPUT) return []
  return [{ call_id, output_text, is_error: typeof error === 'string' && error !== '' }]
}

const Decision = z.union([
  z.boolean().transform(approved => ({ approved })),
  z.object({
    approved: z.boolean(),
    reason: z.string().max(16_384).nullish(),
    editedArgs: z.record(z.string(), z.unknown()).nullish(),
  }),
])

/** Reads an answer to an approval or a question. Throws `bad_request` for what is not clearly a decision. */
export function toDecision(answer: InterruptAnswer, isQuestion: boolean): PageDecision {
  const { id: approval_id, isCancelled, payload } = answer
  if (isCancelled) return { approval_id, decision: isQuestion ? 'cancelled' : 'denied' }
  if (isQuestion) {
    const answer_text = typeof payload === 'string' ? payload : JSON.stringify(payload ?? null)
    return { approval_id, decision: 'approved', answer_text }
  }
  const { data } = Decision.safeParse(payload)
  if (!data)
    throw new AppError(
      'bad_request',
      `resume: the answer to ${JSON.stringify(approval_id)} needs "approved": true or false`,
    )
  const { reason, editedArgs } = data as {
    readonly reason?: string | null
    readonly editedArgs?: object | null
  }
  return {
    approval_id,
    decision: data.approved ? 'approved' : 'denied',
    ...(reason ? { reason } : {}),
    ...(editedArgs && data.approved ? { edited_input_text: JSON.stringify(editedArgs) } : {}),
  }
}
