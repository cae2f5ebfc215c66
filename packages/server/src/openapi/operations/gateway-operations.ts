/** The vendor wires: requests and answers as the clients of OpenAI and Anthropic know them. */
import { ChatRequest, MessagesRequest } from '@toolwire/wire'
import { either, json, type Operation } from '../operation.ts'
import { Completion, Message, TokenCount, VendorModel, VendorModelList } from '../shapes/answer-shapes.ts'
import { ChatChunk, MessageEvent } from '../shapes/stream-shapes.ts'

const tag = 'Gateway'
const headers = [
  'Idempotency-Key',
  'X-Session-Id',
  'X-Server-Tools',
  'X-Tool-Repair',
  'X-Forced-Tool',
  'X-Max-Cost-Usd',
  'X-Max-Total-Tokens',
  'X-Max-Duration-Ms',
  'X-Fallback-Models',
] as const
const refuses = [
  'bad_request',
  'unknown_model',
  'missing_key',
  'conflict',
  'payload_too_large',
  'shutting_down',
  'session_not_found',
  'session_deleted',
  'model_rate_limited',
  'model_overloaded',
  'model_unavailable',
  'model_timeout',
] as const

export const gatewayOperations: readonly Operation[] = [
  {
    method: 'POST',
    url: '/v1/chat/completions',
    id: 'createChatCompletion',
    tag,
    summary: 'Chat Completions, as clients of OpenAI send them',
    description: '`stream` chooses the stream, which ends with `[DONE]`.',
    errors: 'chat',
    headers,
    body: ChatRequest.meta({ id: 'ChatCompletionsRequest' }),
    refuses,
    answers: { 200: either(Completion, ChatChunk, 'The answer, whole or as a stream.') },
  },
  {
    method: 'POST',
    url: '/v1/messages',
    id: 'createMessage',
    tag,
    summary: 'Messages, as clients of Anthropic send them',
    errors: 'messages',
    headers,
    body: MessagesRequest.meta({ id: 'MessagesRequest' }),
    refuses,
    answers: { 200: either(Message, MessageEvent, 'The answer, whole or as a stream.') },
  },
  {
    method: 'POST',
    url: '/v1/messages/count_tokens',
    id: 'countTokens',
    tag,
    summary: 'How many tokens a request has',
    description: 'The header `x-token-count` tells whether the provider counted or it is an estimate.',
    errors: 'messages',
    body: MessagesRequest.meta({ id: 'MessagesRequest' }),
    refuses: ['bad_request', 'unknown_model', 'missing_key'],
    answers: { 200: json(TokenCount, 'The count.') },
  },
  {
    method: 'GET',
    url: '/v1/models',
    id: 'listVendorModels',
    tag,
    summary: 'The models, in the words of whoever asks',
    description: 'A request with the header `anthropic-version` is answered in the words of Anthropic.',
    errors: 'models',
    answers: { 200: json(VendorModelList, 'All of them.') },
  },
  {
    method: 'GET',
    url: '/v1/models/*',
    id: 'getVendorModel',
    tag,
    summary: 'One model',
    rest: 'The id of the model, which may hold slashes.',
    errors: 'models',
    refuses: ['unknown_model'],
    answers: { 200: json(VendorModel, 'The model.') },
  },
]
