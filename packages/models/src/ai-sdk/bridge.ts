/**
 * Any provider of the Vercel AI SDK (language model specification 3 or 4) as a model.
 * Typed by structure, so that the SDK is no dependency: what has a fitting `doStream` works.
 */
import type { Model, ModelPart, ModelRequest } from '@toolwire/core'
import { asNumber, isObject, sleep } from '@toolwire/core'
import { estimateTokens } from '../shared/estimate-tokens.ts'
import { type FailureCode, isToolsUnsupported, toFailure } from '../shared/failure.ts'
import { refusedChange } from '../shared/refuse-changes.ts'
import { type Price, toCost } from '../shared/usage.ts'
import { createUsageMeter } from '../shared/usage-so-far.ts'
import { toCallOptions } from './call-options.ts'
import { initialBridge, stepBridge } from './stream.ts'
import { bridgeWarnings } from './warnings.ts'

/** The part of the specification that is used. */
export interface AiSdkLanguageModel {
  readonly provider: string
  readonly modelId: string
  /** `v3` knows no effort. */
  readonly specificationVersion?: string
  readonly doStream: (options: never) => PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

/** Names and facts of a model at a named provider. */
export interface BridgeOptions {
  /** The provider as the log names it; the SDK's name when absent. */
  readonly provider?: string | undefined
  readonly id?: string | undefined
  readonly context?: number | undefined
  readonly price?: Price | undefined
}

/** Retries are the provider package's business; nothing is repeated here. */
export function createAiSdkModel(source: AiSdkLanguageModel, options: BridgeOptions = {}): Model {
  const { provider = source.provider, id = source.modelId, context, price } = options
  const named: NamedSource = { provider, modelId: id, source }
  return {
    provider,
    id,
    isPriced: price !== undefined,
    ...(context === undefined ? {} : { context }),
    async *stream(request, signal) {
      for await (const part of run(named, request, signal))
        yield part.type === 'end' || part.type === 'error' ? { ...part, ...toCost(part.usage, price) } : part
    },
    countTokens: async request => estimateTokens(request),
  }
}

interface NamedSource {
  readonly provider: string
  readonly modelId: string
  readonly source: AiSdkLanguageModel
}

async function* run(
  named: NamedSource,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart, void, void> {
  const meter = createUsageMeter(request)
  const { source, provider } = named
  let state = initialBridge(named)
  let failure = toFailure('model_unavailable', 'The stream was interrupted before the message ended.')
  try {
    const target = { provider, isTagged: source.specificationVersion !== 'v3' }
    const { reasoning, ...plain } = toCallOptions(request, target, signal)
    const options =
      source.specificationVersion === 'v3' || reasoning === undefined ? plain : { ...plain, reasoning }
    const warnings = bridgeWarnings(request, options)
    const refusal = refusedChange(request, warnings)
    if (refusal !== undefined)
      return yield { type: 'error', error: toFailure('bad_request', refusal, { provider }) }
    state = initialBridge(named, warnings)
    const { stream } = await source.doStream(options as never)
    for await (const raw of readParts(stream, () => state.failed !== undefined)) {
      const [next, parts] = stepBridge(state, raw)
      state = next
      for (const part of parts) {
        yield meter(part)
        if (part.type === 'end' || part.type === 'error') return
      }
    }
  } catch (error) {
    failure = toBridgeFailure(error, provider, signal)
  }
  yield meter({ type: 'error', error: state.failed ?? failure })
}

/** An SDK may send parts right after an error; a silent one is not waited for. */
const TAIL_MS = 1000

/** The parts of a stream; not for long once it `hasFailed`. Rejects as the stream does, and cancels it when it is left. */
async function* readParts(
  stream: ReadableStream<unknown>,
  hasFailed: () => boolean,
): AsyncGenerator<unknown, void, void> {
  const reader = stream.getReader()
  const leaving = new AbortController()
  let tail: Promise<undefined> | undefined
  try {
    for (;;) {
      if (hasFailed()) tail ??= sleep(TAIL_MS, leaving.signal).then(() => undefined)
      const read = await (tail ? Promise.race([reader.read(), tail]) : reader.read())
      if (!read || read.done) return
      yield read.value
    }
  } finally {
    leaving.abort()
    // Fails when the stream is broken already; then there is nothing to cancel.
    reader.cancel().catch(() => undefined)
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
  const own = error instanceof Error ? BY_NAME.get(error.name) : undefined
  return toFailure(own ?? codeOf(status, message), message, extra)
}

/** Errors that the package finds before it sends anything: a retry cannot help. */
const BY_NAME: ReadonlyMap<string, FailureCode> = new Map<string, FailureCode>([
  ['AI_UnsupportedFunctionalityError', 'bad_request'],
  ['AI_InvalidArgumentError', 'bad_request'],
  ['AI_InvalidPromptError', 'bad_request'],
  ['AI_LoadAPIKeyError', 'model_auth'],
  ['AI_LoadSettingError', 'model_auth'],
  ['AI_NoSuchModelError', 'unknown_model'],
])

const BY_STATUS: Readonly<Record<number, FailureCode>> = {
  401: 'model_auth',
  403: 'model_auth',
  404: 'unknown_model',
  413: 'context_too_long',
  429: 'model_rate_limited',
  503: 'model_overloaded',
  529: 'model_overloaded',
}

function codeOf(status: number | undefined, message: string): FailureCode {
  if (/context (window|length|size)|too long|too many tokens/i.test(message)) return 'context_too_long'
  if (status === undefined || status >= 500) return BY_STATUS[status ?? 0] ?? 'model_unavailable'
  return isToolsUnsupported(message) ? 'tools_unsupported' : (BY_STATUS[status] ?? 'model_error')
}
