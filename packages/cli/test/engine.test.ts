/** Choosing an engine, and custom models: a missing part is reported at once, with its fix. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inFolder, launch, run } from './launch.ts'

const ONE_SENTENCE = /^toolwire: [^\n]+\n$/

/** A fake package: enough to be found. */
function installStandIn(dir: string): string {
  const folder = join(dir, 'node_modules/@anthropic-ai/claude-agent-sdk')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'sdk.mjs'), 'export async function* query() {}\n')
  return dir
}

const post = async (url: string, metadata: unknown) => {
  const response = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata }),
  })
  return {
    status: response.status,
    body: (await response.json()) as { error?: { code: string; message: string } },
  }
}

describe('the engine claude-agent-sdk', () => {
  test('without its package is refused at the start, with the command that installs it', async () => {
    await inFolder(async dir => {
      const end = await run(['--engine', 'claude-agent-sdk', '--port', '0'], dir, {
        ANTHROPIC_API_KEY: 'sk-test',
        TOOLWIRE_AGENT_SDK: dir,
      })
      expect(end.code).toBe(2)
      expect(end.stderr).toMatch(ONE_SENTENCE)
      expect(end.stderr).toContain('npm install @anthropic-ai/claude-agent-sdk')
    })
  })

  test('without a key is refused at the start, with the variable to set', async () => {
    await inFolder(async dir => {
      const TOOLWIRE_AGENT_SDK = installStandIn(dir)
      const end = await run(['--engine', 'claude-agent-sdk', '--port', '0'], dir, { TOOLWIRE_AGENT_SDK })
      expect(end.code).toBe(2)
      expect(end.stderr).toMatch(ONE_SENTENCE)
      expect(end.stderr).toContain('ANTHROPIC_API_KEY')
    })
  })

  test('of a session is checked when the session is made, not when its first run fails', async () => {
    await inFolder(async dir => {
      const server = await launch(dir, ['--port', '0'], { TOOLWIRE_AGENT_SDK: dir })
      expect((await post(server.url, { engine: 'native' })).status).toBe(201)
      expect(await post(server.url, { engine: 'v8' })).toMatchObject({
        status: 400,
        body: {
          error: { code: 'bad_request', message: expect.stringContaining('native or claude-agent-sdk') },
        },
      })
      expect((await post(server.url, { engine: 7 })).status).toBe(400)
      expect(await post(server.url, { engine: 'claude-agent-sdk' })).toMatchObject({
        status: 502,
        body: { error: { code: 'model_unavailable', message: expect.stringContaining('npm install') } },
      })
      installStandIn(dir)
      expect((await post(server.url, { engine: 'claude-agent-sdk' })).body.error?.code).toBe('missing_key')
      await server.stop()
    })
  })
})

describe('a module with models', () => {
  const LANGUAGE_MODEL = `
    const parts = [
      { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'seed' }] },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'From my own model.' },
      { type: 'text-end', id: '1' },
      { type: 'finish', finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 4 } },
    ]
    export const models = {
      'my/model': {
        specificationVersion: 'v3', provider: 'mine', modelId: 'model',
        doStream: async () => ({ stream: ReadableStream.from(parts) }),
      },
    }`

  test("offers language models of the AI SDK under the configuration's own ids", async () => {
    await inFolder(async dir => {
      writeFileSync(join(dir, 'models.mjs'), LANGUAGE_MODEL)
      writeFileSync(
        join(dir, 'toolwire.config.json'),
        JSON.stringify({ modelsModule: 'models.mjs', model: 'my/model' }),
      )
      const server = await launch(dir, ['--port', '0'])
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] }),
      })
      expect(await response.json()).toMatchObject({
        model: 'my/model',
        choices: [{ message: { content: 'From my own model.' } }],
        usage: { prompt_tokens: 3, completion_tokens: 4 },
        warnings: [{ code: 'unsupported', message: 'seed: not supported; it is ignored.' }],
      })
      await server.stop()
    })
  })

  test.for([
    ['export const models = 7', 'must export an object "models"'],
    ['export const models = { x: {} }', 'no language model'],
    ['syntax error', 'cannot be loaded'],
  ] as const)('that is wrong (%s) is one sentence', async ([source, words]) => {
    await inFolder(async dir => {
      writeFileSync(join(dir, 'models.mjs'), source)
      writeFileSync(join(dir, 'toolwire.config.json'), JSON.stringify({ modelsModule: 'models.mjs' }))
      const end = await run(['--port', '0'], dir)
      expect(end.code).toBe(2)
      expect(end.stderr).toMatch(ONE_SENTENCE)
      expect(end.stderr).toContain(words)
    })
  })
})

test('a fallback model that does not exist is refused at the start', async () => {
  await inFolder(async dir => {
    const end = await run(['--port', '0', '--fallback-models', 'demo,gpt5'], dir)
    expect(end.code).toBe(2)
    expect(end.stderr).toContain('No model has the id "gpt5"')
  })
})
