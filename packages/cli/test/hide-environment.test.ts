/** Commands run as the user of the server, and that user may read the environment of its processes. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFakeUpstream } from '@toolwire/demo'
import { expect, test } from 'vitest'
import { inFolder, launch } from './launch.ts'

const SECRETS = {
  ANTHROPIC_API_KEY: 'sk-ant-hidden-1',
  OPENAI_API_KEY: 'sk-hidden-2',
  TAVILY_API_KEY: 'tvly-hidden-3',
  TOOLWIRE_API_KEYS: 'hidden-4',
  REDIS_URL: 'redis://:hidden-5@cache',
  MY_OWN_KEY: 'hidden-6',
}

const MODULE = `
export const models = { own: { provider: 'own', id: 'own', async *stream() {
  const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
  yield { type: 'start', provider_message_id: 'm', model: 'own' }
  yield { type: 'block-start', index: 0, kind: 'text' }
  yield { type: 'block-delta', index: 0, text: 'the key is ' + process.env.MY_OWN_KEY }
  yield { type: 'block-end', index: 0 }
  yield { type: 'end', stop_reason: 'stop', finish: 'stop', usage }
} } }
`

test('the environment that the system shows of a server holds no secret, and the server knows them all the same', async () => {
  const fake = await startFakeUpstream({ apiKey: SECRETS.ANTHROPIC_API_KEY })
  await inFolder(async dir => {
    writeFileSync(join(dir, 'models.mjs'), MODULE)
    const server = await launch(dir, ['--port', '0'], {
      ...SECRETS,
      ANTHROPIC_BASE_URL: fake.url,
      TOOLWIRE_MODELS_MODULE: 'models.mjs',
      HARMLESS: 'shown',
    })
    const shown = readFileSync(`/proc/${server.child.pid}/environ`, 'latin1')
    expect(shown).toContain('HARMLESS=shown')
    expect(shown).not.toContain('hidden-')
    const ask = async (model: string): Promise<string> => {
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer hidden-4', 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
      })
      return await response.text()
    }
    expect(await ask('claude-sonnet-5-5')).toContain('"finish_reason":"stop"')
    expect(await ask('own')).toContain('the key is hidden-6')
    expect(readFileSync(`/proc/${server.child.pid}/environ`, 'latin1')).not.toContain('hidden-')
    await server.stop()
  })
  await fake.close()
})
