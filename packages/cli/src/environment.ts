/** Variables that the product reads; which process they come from is up to its caller. */
import type { ModelEnvironment } from '@toolwire/models'

interface ToolEnvironment {
  readonly TAVILY_API_KEY?: string | undefined
  readonly TAVILY_BASE_URL?: string | undefined
  readonly SEARXNG_URL?: string | undefined
}

export interface EngineEnvironment {
  readonly ANTHROPIC_API_KEY?: string | undefined
  /** Folder of the optional package, when it is not where Node would find it. */
  readonly TOOLWIRE_AGENT_SDK?: string | undefined
}

/** The variables that are not settings of the server itself: keys of providers. */
export interface ProductEnvironment extends ModelEnvironment, ToolEnvironment, EngineEnvironment {
  readonly OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?: string | undefined
}

export type Variables = Readonly<Record<string, string | undefined>>
