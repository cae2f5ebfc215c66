/** The refusals of an operation as responses: one per status, each with the codes behind it. */
import { AppError, ERRORS, type ErrorCode } from '@toolwire/core'
import { toChatError, toMessagesError, toResponsesError } from '@toolwire/wire'
import { z } from 'zod'
import type { Route } from '../http/route.ts'
import type { ErrorShape } from './operation.ts'
import {
  ApiError,
  ChatError,
  McpError,
  MessagesError,
  ResponsesErrorShape,
  ThreadError,
} from './shapes/error-shapes.ts'

interface Refusal {
  readonly status: number
  readonly description: string
  readonly schema: z.ZodType
}

const EVERYWHERE: readonly ErrorCode[] = ['bad_host', 'bad_origin', 'internal']
const WITH_KEY: readonly ErrorCode[] = ['unauthorized', 'forbidden', 'too_many_requests']
const WITH_BODY: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_utf8',
  'payload_too_large',
  'unsupported_media_type',
  'quota_exceeded',
]

const SHAPES: Readonly<Record<ErrorShape, z.ZodType>> = {
  api: ApiError,
  thread: ThreadError,
  chat: ChatError,
  responses: ResponsesErrorShape,
  messages: MessagesError,
  models: z.union([ChatError, MessagesError]),
  mcp: McpError,
  text: z.string(),
}

/** Sorted by status. Every operation can refuse for a wrong host, a missing key and a bug. */
export function toRefusals({
  errorShape = 'api',
  errors = [],
  scope,
  body,
  upload,
}: Route): readonly Refusal[] {
  const withKey = scope === 'open' ? [] : WITH_KEY
  const codes = new Set([...errors, ...(body || upload ? WITH_BODY : []), ...withKey, ...EVERYWHERE])
  const byStatus = Map.groupBy(codes, code => statusOf(code, errorShape))
  return [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, group]) => ({
      status,
      description: group.map(code => `\`${code}\`: ${ERRORS[code].meaning}`).join(' '),
      schema: SHAPES[errorShape],
    }))
}

function statusOf(code: ErrorCode, shape: ErrorShape): number {
  const refusal = new AppError(code)
  if (shape === 'chat' || shape === 'models') return toChatError(refusal).status
  if (shape === 'responses') return toResponsesError(refusal).status
  return shape === 'messages' ? toMessagesError(refusal).status : ERRORS[code].status
}
