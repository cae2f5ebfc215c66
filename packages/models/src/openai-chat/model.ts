/** The model port over Chat Completions, for OpenAI and for every server that imitates it. */
import type { Model, ModelPart } from '@toolwire/core'
import { isObject, parseBoundedJson } from '@toolwire/core'
import { createOpenAiApiModel, type OpenAiApiOptions } from '../shared/openai-api-model.ts'
import { createChatOrigin } from './origin.ts'
import { toChatRequest } from './request.ts'
import { chatStream, stepChunk } from './stream.ts'

export type OpenAiChatOptions = OpenAiApiOptions

/** The provider of the built-in entry, as the log names it. */
const PROVIDER = 'openai'

/** Holds nothing between requests; safe to share and to use concurrently. */
export function createOpenAiChatModel(options: OpenAiChatOptions): Model {
  const { provider = PROVIDER, model, baseUrl } = options
  const origin = createChatOrigin({ provider, model, baseUrl })
  const protocol = chatStream(origin)
  /** Some servers ignore `stream` and answer with the whole completion. */
  const readWhole = (body: string): readonly ModelPart[] | undefined => {
    const completion = parseBoundedJson(body)
    if (!isObject(completion) || !(Array.isArray(completion['choices']) || 'error' in completion))
      return undefined
    const [state, parts] = stepChunk(protocol.initial, completion)
    return parts.some(part => part.type === 'error') ? parts : [...parts, ...protocol.end(state)]
  }
  return createOpenAiApiModel(options, {
    path: '/chat/completions',
    provider,
    protocol,
    toRequest: (request, rules) => toChatRequest(request, { ...rules, origin }),
    readWhole,
    priceOf: price => price,
  })
}
