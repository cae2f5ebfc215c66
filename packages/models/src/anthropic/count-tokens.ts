/** The provider's own count of a request, before it is sent. */
import {
  AppError,
  asNumber,
  ERRORS,
  type ErrorCode,
  type Failure,
  isObject,
  parseJson,
  type TokenCount,
} from '@toolwire/core'
import type { ProviderResponse } from '../shared/provider-response.ts'
import type { AnthropicRequest } from './request.ts'

/** The body of a count: the request without what only an answer needs. Pure. */
export function toCountBody({ body }: AnthropicRequest): Readonly<Record<string, unknown>> {
  const { model, system, messages, tools, tool_choice, thinking } = body
  return {
    model,
    messages,
    ...(system ? { system } : {}),
    ...(tools ? { tools } : {}),
    ...(tool_choice ? { tool_choice } : {}),
    ...(thinking ? { thinking } : {}),
  }
}

/** Throws AppError with the provider's refusal; an answer that holds no count is a `model_error`. */
export async function readCount(
  response: ProviderResponse,
  toFailure: (body: string) => Failure,
): Promise<TokenCount> {
  const text = await response.text()
  if (!response.ok) {
    const { code, message, details } = toFailure(text)
    throw new AppError(code in ERRORS ? (code as ErrorCode) : 'model_error', message, details)
  }
  const body = parseJson(text)
  const count = isObject(body) ? asNumber(body['input_tokens']) : undefined
  if (count === undefined) throw new AppError('model_error', 'The provider counted no tokens.')
  return { input_tokens: count, is_estimate: false }
}
