/** The model of new sessions, at this moment. */
import type { ServerContext } from '../context.ts'

/** For a caller who may not use that one: the first that is listed for them. */
export function defaultModel({ settings, ports }: Pick<ServerContext, 'settings' | 'ports'>): string {
  const usual = ports.currentModel?.() ?? settings.model
  return ports.isAllowedModel(usual) ? usual : (ports.listModels()[0] ?? usual)
}
