/** The whole product on a free port and a temporary folder, with a fake provider behind it. Closed by the caller. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeUpstream, type FakeUpstreamOptions, startFakeUpstream } from '@toolwire/demo'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'

export interface Stage {
  readonly url: string
  readonly upstream: FakeUpstream
  readonly close: () => Promise<void>
}

export interface StageOptions {
  readonly upstream?: FakeUpstreamOptions
  readonly flags?: Readonly<Record<string, unknown>>
  /** Beside the keys and addresses of both providers; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const dir = await mkdtemp(join(tmpdir(), 'toolwire-faults-'))
  const upstream = await startFakeUpstream(options.upstream)
  const env = {
    ANTHROPIC_API_KEY: 'sk-ant-test-key',
    ANTHROPIC_BASE_URL: upstream.url,
    OPENAI_API_KEY: 'sk-openai-test',
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    ...options.env,
  }
  const flags = { port: 0, data: join(dir, 'data'), modelRetries: 1, modelRetryMs: 1, ...options.flags }
  const product = await compose(readConfig({ flags, env: {}, cwd: dir }), env)
  return {
    url: product.url,
    upstream,
    async close() {
      await product.close()
      await upstream.close()
      await rm(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
