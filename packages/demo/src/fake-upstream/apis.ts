/** The APIs that the server imitates, as data: one more API is one more entry. */
import type { JsonObject, ModelPart, ModelRequest } from '@toolwire/core'
import { decodeChat } from './decode-chat.ts'
import { decodeMessages } from './decode-messages.ts'
import { decodeResponses } from './decode-responses.ts'
import { COMMENT, createChatEncoder, foldCompletion } from './encode-chat.ts'
import { createMessagesEncoder, foldMessage, PING } from './encode-messages.ts'
import { createResponsesEncoder, foldResponse } from './encode-responses.ts'
import { chatErrorOf, chatTooLong, messagesError, messagesErrorOf } from './error-bodies.ts'
import type { EncodeContext, Frame } from './frame.ts'

export interface Api {
  /** Throws BadBodyError. */
  readonly decode: (body: JsonObject) => ModelRequest
  /** A fresh encoder for one answer. */
  readonly encode: (context: EncodeContext) => (part: ModelPart) => readonly Frame[]
  readonly fold: (parts: readonly ModelPart[], context: EncodeContext) => JsonObject
  readonly error: (status: number, message: string, requestId: string, details?: JsonObject) => JsonObject
  /** The message of the 400 that rejects the schema of one tool. */
  readonly badSchema: (place: number, name: string) => string
  /** The body of the 400 for a request that has more tokens than the model can read. */
  readonly tooLong: (tokens: number, most: number, requestId: string) => JsonObject
  readonly ping: Frame
  readonly requestIdHeader: string
}

export const MESSAGES: Api = {
  decode: decodeMessages,
  encode: context => running(createMessagesEncoder(context)),
  fold: foldMessage,
  error: (status, message, requestId, details) =>
    messagesError(messagesErrorOf(status), message, requestId, details),
  badSchema: place => `tools.${place}.custom.input_schema: JSON schema is invalid`,
  tooLong: (tokens, most, requestId) =>
    messagesError(
      'invalid_request_error',
      `prompt is too long: ${tokens} tokens > ${most} maximum`,
      requestId,
    ),
  ping: PING,
  requestIdHeader: 'request-id',
}

export const CHAT: Api = {
  decode: decodeChat,
  encode: context => running(createChatEncoder(context)),
  fold: foldCompletion,
  error: (status, message) => chatErrorOf(status, message),
  badSchema: (_, name) => `Invalid schema for function '${name}': None is not of type 'string'`,
  tooLong: chatTooLong,
  ping: COMMENT,
  requestIdHeader: 'x-request-id',
}

export const RESPONSES: Api = {
  ...CHAT,
  decode: decodeResponses,
  encode: context => running(createResponsesEncoder(context)),
  fold: foldResponse,
}

function running<S>(encoder: {
  readonly initial: S
  readonly step: (state: S, part: ModelPart) => readonly [S, readonly Frame[]]
}): (part: ModelPart) => readonly Frame[] {
  let state = encoder.initial
  return part => {
    const [next, frames] = encoder.step(state, part)
    state = next
    return frames
  }
}
