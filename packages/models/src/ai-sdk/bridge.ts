/**
 * Any provider of the Vercel AI SDK (language model specification 3 or 4) as a model.
 * Typed by structure, so that the SDK is no dependency: what has a fitting `doStream` works.
 */
import type { Model, ModelPart, ModelRequest } from '@toolwire/core'
import { toFailure } from '../shared/failure.ts'
import { asNumber, isObject } from '../shared/json.ts'
import { toCallOptions } from './call-options.ts'
import { initialBridge, stepBridge } from './stream.ts'

/** The part of the specification that is used. */
export interface AiSdkLanguageModel {
  readonly provider: string
  readonly modelId: string
  readonly doStream: (options: never) => PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

/** Retries are the provider package's business; nothing is repeated here. */
export function createAiSdkModel(source: AiSdkLanguageModel): Model {
  return {
    provider: source.provider,
    id: source.modelId,
    stream: (request, signal) => run(source, request, signal),
  }
}

async function* run(
  source: AiSdkLanguageModel,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart, void, void> {
  let state = initialBridge(source.modelId)
  try {
    const options = toCallOptions(request, source.provider, signal)
    const { stream } = await source.doStream(options as never)
    for await (const raw of stream) {
      const [next, parts] = stepBridge(state, raw)
      state = next
      for (const part of parts) {
        yield part
        if (part.type === 'end' || part.type === 'error') return
      }
    }
    yield {
      type: 'error',
      error: toFailure('model_unavailable', 'The stream broke off before the message ended.'),
    }
  } catch (error) {
    yield { type: 'error', error: toBridgeFailure(error, source.provider, signal) }
  }
}

function toBridgeFailure(
  error: unknown,
  provider: string,
  signal: AbortSignal,
): ReturnType<typeof toFailure> {
  if (signal.aborted) return toFailure('interrupted', 'The request was cancelled.', { provider })
  const message = error instanceof Error ? error.message : String(error)
  const status =
    isObject(error) || error instanceof Error
      ? asNumber((error as { statusCode?: unknown }).statusCode)
      : undefined
  const extra = { provider, ...(status === undefined ? {} : { http_status: status }) }
  if (status === 401 || status === 403) return toFailure('model_auth', message, extra)
  if (status === 429) return toFailure('model_rate_limited', message, extra)
  if (status === 529 || status === 503) return toFailure('model_overloaded', message, extra)
  if (status !== undefined && status < 500) return toFailure('model_error', message, extra)
  return toFailure('model_unavailable', message, extra)
}
