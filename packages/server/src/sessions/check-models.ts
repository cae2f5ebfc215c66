/** The models that a message asks for, checked before anything is stored. */
import type { MessageInput } from '@toolwire/wire'
import type { ServerContext } from '../context.ts'

/** Throws `unknown_model` or `missing_key` for the first that cannot run. */
export function checkModels(
  { ports }: Pick<ServerContext, 'ports'>,
  input: Pick<MessageInput, 'model' | 'fallback_models'>,
): void {
  if (input.model !== undefined) ports.checkModel(input.model)
  for (const id of input.fallback_models ?? []) ports.checkModel(id)
}
