/** The engines of the product, and whether one that is asked for can work: its package and its key must be there. */
import { AppError } from '@toolwire/core'
import { CLAUDE_AGENT_SDK, createClaudeAgentSdkEngine, loadAgentSdk } from '@toolwire/engine-claude'
import { costOfModel } from '@toolwire/models'
import type { Engine } from '@toolwire/runtime'
import type { EngineEnvironment, Variables } from './environment.ts'
import { ExitError } from './exit.ts'

export interface ProductEngine {
  readonly engine: Engine
  /** Throws `bad_request`, `missing_key` or `model_unavailable`, each with what to do about it. */
  readonly check: (name: string) => Promise<void>
}

/** Loads nothing before it is asked for. */
export function composeEngine(env: EngineEnvironment, machineEnv: Variables): ProductEngine {
  const folder = env.TOOLWIRE_AGENT_SDK
  return {
    engine: createClaudeAgentSdkEngine({
      folder,
      env: { ...machineEnv },
      costOf: (model, usage) => costOfModel('anthropic', model, usage),
    }),
    async check(name) {
      if (name === 'native') return
      if (name !== CLAUDE_AGENT_SDK)
        throw new AppError(
          'bad_request',
          `metadata.engine: there is no engine ${JSON.stringify(name)}; native or ${CLAUDE_AGENT_SDK}`,
        )
      await loadAgentSdk(folder)
      if (!env.ANTHROPIC_API_KEY)
        throw new AppError(
          'missing_key',
          `The engine ${CLAUDE_AGENT_SDK} needs an API key of Anthropic: set the environment variable ANTHROPIC_API_KEY, or use the native engine.`,
          { variable: 'ANTHROPIC_API_KEY' },
        )
    },
  }
}

/** Refuses to start with an engine that cannot work. Throws ExitError. */
export async function requireEngine({ check }: ProductEngine, name: string): Promise<void> {
  try {
    await check(name)
  } catch (error) {
    if (AppError.is(error)) throw new ExitError('usage', error.message)
    throw error
  }
}
