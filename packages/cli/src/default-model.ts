/** Which models there are, by the keys that are set, and which one new sessions get when nobody said. */
import { listedModels } from '@toolwire/models'

interface Keys {
  readonly ANTHROPIC_API_KEY?: string | undefined
  readonly OPENAI_API_KEY?: string | undefined
}

export function defaultModel(env: Keys): string {
  if (env.ANTHROPIC_API_KEY) return 'claude-sonnet-5-5'
  if (env.OPENAI_API_KEY) return 'gpt-5.5'
  return 'demo'
}

/** The demo model and the known models of every provider whose key is set. */
export function availableModels(env: Keys): readonly string[] {
  const keys: Readonly<Record<string, string | undefined>> = {
    anthropic: env.ANTHROPIC_API_KEY,
    openai: env.OPENAI_API_KEY,
  }
  return [
    'demo',
    ...listedModels()
      .filter(row => keys[row.provider])
      .map(row => row.id),
  ]
}

/** A stand-in, so that a meter has something to show: the demo model forgets nothing. */
const DEMO_CONTEXT = 200_000

interface ModelFacts {
  readonly context?: number
  readonly max_output?: number
  /** US dollars per million tokens. */
  readonly price?: {
    readonly input: number
    readonly output: number
    readonly cache_read?: number
    readonly cache_write?: number
  }
}

/** What the capability table knows of a model, by its id with or without provider and date. */
export function modelFacts(id: string): ModelFacts {
  if (id === 'demo') return { context: DEMO_CONTEXT, price: { input: 0, output: 0 } }
  const undated = id.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
  const row = listedModels().find(known =>
    [known.id, `${known.provider}/${known.id}`].some(name => name === id || name === undated),
  )
  return {
    ...(row?.context === undefined ? {} : { context: row.context }),
    ...(row?.max_output === undefined ? {} : { max_output: row.max_output }),
    ...(row?.price === undefined ? {} : { price: listPrice(row.price) }),
  }
}

/** The price of prompts of the usual length; what holds for longer ones is left to the bill. */
const listPrice = ({ input, output, cache_read, cache_write }: NonNullable<ModelFacts['price']>) => ({
  input,
  output,
  ...(cache_read === undefined ? {} : { cache_read }),
  ...(cache_write === undefined ? {} : { cache_write }),
})
