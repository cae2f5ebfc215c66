/** Models of both vendors, and the demo model, with one upstream behind them. */
import { createDemoModel } from '@toolwire/demo'
import { createModelFinder } from '@toolwire/models'

export const modelsBehind = (upstream: string): ReturnType<typeof createModelFinder> =>
  createModelFinder({
    demo: createDemoModel({ paceMs: 0 }),
    env: {
      ANTHROPIC_API_KEY: 'key-a',
      ANTHROPIC_BASE_URL: upstream,
      OPENAI_API_KEY: 'key-o',
      OPENAI_BASE_URL: `${upstream}/v1`,
    },
    retry: { maxRetries: 0 },
  })
