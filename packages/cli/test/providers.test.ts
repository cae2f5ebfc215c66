/** The product with a provider's key: the whole way over HTTP to a wire-exact fake of the API. */
import { startFakeUpstream } from '@toolwire/demo'
import { expect, test } from 'vitest'
import { inFolder, launch, run } from './launch.ts'

async function chat(url: string, message: string): Promise<string> {
  const session = (await (await fetch(`${url}/api/sessions`, { method: 'POST' })).json()) as {
    id: string
    model: string
  }
  const response = await fetch(`${url}/api/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: session.id, message }),
  })
  return await response.text()
}

test.each([
  [
    'anthropic',
    'claude-sonnet-5-5',
    (url: string) => ({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: url }),
  ],
  ['openai', 'gpt-5.5', (url: string) => ({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${url}/v1` })],
] as const)('with a key of %s the model is %s, and a tool round trip works', async (_, model, env) => {
  const fake = await startFakeUpstream()
  await inFolder(async dir => {
    const server = await launch(dir, ['--port', '0'], env(fake.url))
    expect(server.startLine).toContain(`model ${model} ·`)
    const text = await chat(server.url, 'list the files')
    expect(text).toContain('"type":"tool_use"')
    expect(text).toContain('README.md')
    expect(text).toContain('"subtype":"success"')
    const end = await server.stop()
    expect(end.stderr).toBe('')
    expect(end.stdout + end.stderr).not.toContain('sk-test')
  })
  await fake.close()
})

test('a rejected key is a typed error on the wire, and the session stays usable', async () => {
  const fake = await startFakeUpstream({ apiKey: 'right' })
  await inFolder(async dir => {
    const server = await launch(dir, ['--port', '0'], {
      ANTHROPIC_API_KEY: 'wrong-key',
      ANTHROPIC_BASE_URL: fake.url,
    })
    const text = await chat(server.url, 'hello')
    expect(text).toContain('"code":"model_auth"')
    expect(text).toContain('"type":"done"')
    expect(text).not.toContain('wrong-key')
    await server.stop()
  })
  await fake.close()
})

test('toolwire fake-model says where it listens and refuses bad flags with one sentence', async () => {
  await inFolder(async dir => {
    for (const args of [
      ['--port', 'x'],
      ['--scenario', 'missing.json'],
      ['--fault', 'no-such-fault'],
    ]) {
      const end = await run(['fake-model', '--port', '0', ...args], dir)
      expect(end.code).not.toBe(0)
      expect(end.stderr).toMatch(/^toolwire: [^\n]+\n$/)
    }
  })
})
