/**
 * Chooses one of OpenAI's two APIs for a model. OpenAI's own models of generation 5 and later take tools on the
 * Responses API alone, so unknown ids of its host use that one; any other host uses Chat Completions.
 */

export type OpenAiApi = 'openai-chat' | 'openai-responses'

/** Models that only Chat Completions serves, or that it serves fully. */
const CHAT_MODELS = /^(ft:)?(gpt-3\.5|gpt-4|chatgpt-4o|gpt-audio|davinci|babbage)|search-preview|audio/

/** Pure. `model` is the id without the provider's name. */
export const chooseApi = (model: string, isOfficial: boolean): OpenAiApi =>
  isOfficial && !CHAT_MODELS.test(model) ? 'openai-responses' : 'openai-chat'
