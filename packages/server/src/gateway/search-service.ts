/** Chooses who searches the web for a model when a client asks for it: the model's provider, or this server. */
import type { SearchService } from '@toolwire/wire'
import type { ServerContext } from '../context.ts'
import { defaultModel } from '../sessions/default-model.ts'

/** The built-in tool; it exists only where a search engine is configured. */
const SEARCH_TOOL = 'WebSearch'

export function searchServices(
  context: ServerContext,
): (model: string | undefined) => SearchService | undefined {
  const { settings, ports } = context
  return model => {
    if (ports.describeModel(model ?? defaultModel(context)).web_search) return { by: 'provider' }
    return settings.toolNames.includes(SEARCH_TOOL) ? { by: 'server', tool: SEARCH_TOOL } : undefined
  }
}
