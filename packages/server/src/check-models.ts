/** The models that a message asks for, checked before anything is stored. */
import type { MessageInput } from '@toolwire/wire'
import type { ServerConfig } from './config.ts'

/** Throws `unknown_model` or `missing_key` for the first that cannot run. */
export function checkModels(
  config: Pick<ServerConfig, 'checkModel'>,
  input: Pick<MessageInput, 'model' | 'fallback_models'>,
): void {
  if (input.model !== undefined) config.checkModel(input.model)
  for (const id of input.fallback_models ?? []) config.checkModel(id)
}
