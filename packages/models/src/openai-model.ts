/** A model of OpenAI or of a server that imitates it, over the API that it takes tools on. */
import type { Model } from '@toolwire/core'
import { createOpenAiChatModel, type OpenAiChatOptions } from './openai-chat/model.ts'
import { chooseApi, type OpenAiApi } from './openai-responses/choose-api.ts'
import { createOpenAiResponsesModel, RESPONSES_PROVIDER } from './openai-responses/model.ts'
import { createSwitchingModel } from './openai-responses/switch-api.ts'
import { isOfficialHost } from './shared/official-host.ts'

export interface OpenAiOptions extends OpenAiChatOptions {
  /** Chosen by host and model when absent. */
  readonly api?: OpenAiApi
  /** The provider as the log names it, when it is asked over the Responses API. */
  readonly responsesProvider?: string
}

export function createOpenAiModel(options: OpenAiOptions): Model {
  const { api, responsesProvider = RESPONSES_PROVIDER, ...rest } = options
  const isOfficial = isOfficialHost(options.baseUrl)
  return createSwitchingModel({
    first: api ?? chooseApi(options.model, isOfficial),
    chat: createOpenAiChatModel(rest),
    responses: createOpenAiResponsesModel({ ...rest, provider: responsesProvider }),
    isOfficial,
  })
}
