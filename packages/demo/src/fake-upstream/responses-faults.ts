/** Faults that only the Responses API can have. Pure. */
import { isObject, type JsonObject, parseJson } from '@toolwire/core'
import type { Frame } from './frame.ts'

export const RESPONSES_FAULTS = [
  /** Chat Completions refuses the model and names the Responses API. */
  'needs-responses',
  /** Reasoning of earlier turns cannot be decrypted. */
  'invalid-encrypted',
  /** An `error` event, then the failed response. */
  'error-then-failed',
  /** Items and events without ids, as some servers send them. */
  'no-item-ids',
  /** No deltas: every item comes once, complete. */
  'done-only',
] as const

export const NEEDS_RESPONSES: JsonObject = {
  error: {
    message:
      'This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/responses?',
    type: 'invalid_request_error',
    param: 'model',
    code: null,
  },
}

export const UNDECRYPTABLE: JsonObject = {
  error: {
    message: 'The encrypted content could not be verified.',
    type: 'invalid_request_error',
    param: null,
    code: 'invalid_encrypted_content',
  },
}

export const hasReasoning = (body: JsonObject): boolean =>
  Array.isArray(body['input']) && body['input'].some(item => isObject(item) && item['type'] === 'reasoning')

/** The events of a response that fails, after its first event. */
export function failedFrames(first: Frame): readonly Frame[] {
  const event = parseJson(first.data)
  const response = isObject(event) && isObject(event['response']) ? event['response'] : {}
  const error = {
    type: 'server_error',
    code: 'server_is_overloaded',
    message: 'Our servers are currently overloaded. Please try again later.',
    param: null,
  }
  const failed = { ...response, status: 'failed', error: { code: error.code, message: error.message } }
  return [
    { event: 'error', data: JSON.stringify({ type: 'error', error }) },
    { event: 'response.failed', data: JSON.stringify({ type: 'response.failed', response: failed }) },
  ]
}

/** Frames of a response with one of these faults; the same frames for any other name. */
export function spoilResponse(frames: readonly Frame[], name: string, after: number): readonly Frame[] {
  const [first] = frames
  switch (name) {
    case 'error-then-failed':
      return first ? [...frames.slice(0, after), ...failedFrames(first)] : frames
    case 'no-item-ids':
      return frames.map(withoutIds)
    case 'done-only':
      return frames.filter(
        frame => !/\.(delta|added)$|(text|part|arguments|input|refusal)\.done$/.test(frame.event ?? ''),
      )
    default:
      return frames
  }
}

function withoutIds(frame: Frame): Frame {
  const event = parseJson(frame.data)
  if (!isObject(event)) return frame
  const { item_id: _, ...rest } = event
  if (!isObject(event['item'])) return { ...frame, data: JSON.stringify(rest) }
  const { id: __, ...item } = event['item']
  return { ...frame, data: JSON.stringify({ ...rest, item }) }
}
