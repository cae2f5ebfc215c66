/** Measures the tokens of a vendor wire's request, by its provider where possible. */
import { AppError, ERRORS, type ModelRequest, type TokenCount } from '@toolwire/core'
import type { GatewayRequest } from '@toolwire/wire'
import { defaultModel } from '../sessions/default-model.ts'
import type { GatewayContext } from './gateway-context.ts'
import { toModelMessages } from './model-messages.ts'

interface CountOptions {
  readonly estimate: number
  /** The request brings the whole conversation. */
  readonly isWhole?: boolean
  readonly signal: AbortSignal
}

/** Returns the provider's count, or the estimate where the provider does not count or cannot be reached. */
export async function countTokens(
  context: GatewayContext,
  request: GatewayRequest,
  { estimate, isWhole = true, signal }: CountOptions,
): Promise<TokenCount> {
  const guessed: TokenCount = { input_tokens: estimate, is_estimate: true }
  const model = request.model ?? defaultModel(context)
  const { ports } = context
  ports.checkModel(model)
  if (!ports.countTokens || !isWhole) return guessed
  try {
    const counted = await ports.countTokens(model, toModelRequest(request, model), signal)
    return counted.is_estimate ? guessed : counted
  } catch (error) {
    if (AppError.is(error) && !ERRORS[error.code].retryable) throw error
    return guessed
  }
}

/** The request as a model would get it, so that its provider can count it. Pure. */
const toModelRequest = (request: GatewayRequest, model: string): ModelRequest => ({
  model,
  messages: toModelMessages(request, model),
  tools: request.client_tools,
  options: request.options,
})
