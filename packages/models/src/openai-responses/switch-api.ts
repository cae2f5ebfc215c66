/** A model that moves to the other OpenAI API when its server rejects the first one before any output. */
import type { Failure, Model, ModelPart } from '@toolwire/core'
import { replaceFirst } from '../shared/replace-first.ts'
import type { OpenAiApi } from './choose-api.ts'

export interface ApiChoice {
  readonly first: OpenAiApi
  readonly chat: Model
  readonly responses: Model
  /** OpenAI has both APIs: a 404 there is about something else. */
  readonly isOfficial: boolean
}

/** Remembers the API that worked for as long as the model lives. */
export function createSwitchingModel({ first, chat, responses, isOfficial }: ApiChoice): Model {
  let api = first
  const modelOf = (which: OpenAiApi): Model => (which === 'openai-chat' ? chat : responses)
  const shouldSwitch = (asked: OpenAiApi, error: Failure): boolean =>
    asked === 'openai-chat' ? wantsResponses(error) : !isOfficial && lacksResponses(error)
  return {
    get provider() {
      return modelOf(api).provider
    },
    id: chat.id,
    ...(chat.context === undefined ? {} : { context: chat.context }),
    ...(chat.isPriced === undefined ? {} : { isPriced: chat.isPriced }),
    stream(request, signal) {
      const asked = api
      return replaceFirst(modelOf(asked).stream(request, signal), part => {
        if (part.type !== 'error' || !shouldSwitch(asked, part.error)) return undefined
        api = otherThan(asked)
        return marked(modelOf(api).stream(request, signal), api)
      })
    },
    ...(chat.countTokens ? { countTokens: chat.countTokens } : {}),
  }
}

const otherThan = (api: OpenAiApi): OpenAiApi => (api === 'openai-chat' ? 'openai-responses' : 'openai-chat')

/** The server names the Responses API in its rejection. */
const wantsResponses = ({ http_status, message }: Failure): boolean =>
  (http_status === 400 || http_status === 404) &&
  /v1\/responses/.test(message) &&
  /\buse\b|only supported|not a chat model/i.test(message)

/** The route does not exist; a 404 about the model is another matter. */
const lacksResponses = ({ http_status, code }: Failure): boolean =>
  (http_status === 404 || http_status === 405) && code !== 'unknown_model'

async function* marked(
  parts: AsyncIterable<ModelPart>,
  api: OpenAiApi,
): AsyncGenerator<ModelPart, void, void> {
  const message = `The provider serves this model over another API; requests go to ${api} from now on.`
  for await (const part of parts)
    yield part.type === 'start'
      ? { ...part, warnings: [...(part.warnings ?? []), { code: 'api_switched', message }] }
      : part
}
