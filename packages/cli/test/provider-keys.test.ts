/** Keys of providers that are set while the server runs: the whole way, against a wire-exact fake of both APIs. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDemoModel, type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { runChecks } from '../src/doctor/run-checks.ts'
import { inFolder, type Launched, launch, run } from './launch.ts'

const KEY = 'sk-ant-api03-pasted-in-settings-wxyz'
let fake: FakeUpstream
beforeAll(async () => {
  fake = await startFakeUpstream({ apiKey: KEY, model: createDemoModel({ paceMs: 0 }) })
})
afterAll(() => fake.close())

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are compared field by field
type Answer = { readonly status: number; readonly body: any }

async function ask(server: { url: string }, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  return { status: response.status, body: await response.json() }
}

async function chat(server: Launched, message: string, model?: string): Promise<string> {
  const { body } = await ask(server, 'POST', '/api/sessions', model === undefined ? {} : { model })
  const response = await fetch(`${server.url}/api/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: body.id, message }),
  })
  return await response.text()
}

const ids = async (server: Launched): Promise<readonly string[]> =>
  (await ask(server, 'GET', '/api/models')).body.models.map(({ id }: { id: string }) => id)
const stateOf = async (server: Launched, provider: string) =>
  (await ask(server, 'GET', '/api/providers')).body.providers.find(
    (one: { provider: string }) => one.provider === provider,
  )
/** What the doctor says, a line each. */
async function findings(dir: string, env: Record<string, string> = {}): Promise<string> {
  const config = readConfig({ flags: { port: '0' }, env, cwd: dir })
  const found = await runChecks({ config, env, webRoot: dir })
  return found.map(({ state, what, mend }) => `${state} ${what} ${mend ?? ''}`).join('\n')
}
const fileOf = (dir: string): string => join(dir, '.toolwire', 'provider-keys.json')

test('a key applies at once, survives a kill, and is gone when it is removed', async () => {
  await inFolder(async dir => {
    let server = await launch(dir)
    expect(await ids(server)).toEqual(['demo'])
    const put = await ask(server, 'PUT', '/api/providers/anthropic/key', {
      key: ` ${KEY}\n`,
      base_url: fake.url,
    })
    expect(put).toEqual({
      status: 200,
      body: {
        provider: 'anthropic',
        name: 'Anthropic',
        variable: 'ANTHROPIC_API_KEY',
        set: true,
        source: 'settings',
        last4: 'wxyz',
        base_url: fake.url,
        stored: true,
        api: 'anthropic',
        address: fake.url,
      },
    })
    expect(await ids(server)).toContain('claude-sonnet-5-5')
    const told = await ask(server, 'POST', '/api/providers/anthropic/test')
    expect(told.body).toEqual({ ok: true, models: 1 })
    // The server at that address has other models than the vendor.
    expect(await ids(server)).toEqual(['anthropic/demo', 'demo'])
    const before = fake.requests.length
    expect(await chat(server, 'list the files')).toContain('README.md')
    expect(fake.requests.slice(before).every(({ headers }) => headers['x-api-key'] === KEY)).toBe(true)
    expect(fake.requests.length).toBeGreaterThan(before)
    expect(statSync(fileOf(dir)).mode & 0o777).toBe(0o600)

    await server.stop('SIGKILL')
    server = await launch(dir)
    expect(server.startLine).toContain('model anthropic/demo ·')
    expect(await chat(server, 'list the files')).toContain('README.md')

    const removed = await ask(server, 'DELETE', '/api/providers/anthropic/key')
    expect(removed.body).toMatchObject({ set: false, stored: false })
    expect(removed.body).not.toHaveProperty('last4')
    expect(await ids(server)).toEqual(['demo'])
    expect((await ask(server, 'GET', '/api/models')).body.default).toBe('demo')
    expect(readFileSync(fileOf(dir), 'utf8')).not.toContain(KEY)
    const asked = fake.requests.length
    expect(await chat(server, 'list the files')).toContain('README.md')
    expect(fake.requests.length).toBe(asked)
    const late = await ask(server, 'POST', '/api/sessions', { model: 'claude-sonnet-5-5' })
    expect(late.body.error.code).toBe('missing_key')
    const end = await server.stop()
    expect(end.stderr).toBe('')
  })
})

test('a running stream continues with its key, while the next one has the new key', async () => {
  const slow = await startFakeUpstream({ model: createDemoModel({ paceMs: 25 }) })
  await inFolder(async dir => {
    const server = await launch(dir)
    const put = (key: string) =>
      ask(server, 'PUT', '/api/providers/openai/key', { key, base_url: `${slow.url}/v1` })
    await put('the-first-key')
    const { body } = await ask(server, 'POST', '/api/sessions', { model: 'openai/gpt-x' })
    const response = await fetch(`${server.url}/api/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: body.id, message: 'hello' }),
    })
    const reader = response.body?.getReader()
    let text = ''
    const decoder = new TextDecoder()
    while (!text.includes('text_delta')) text += decoder.decode((await reader?.read())?.value)
    await put('the-second-key')
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      text += decoder.decode(next.value)
    expect(text).toContain('"subtype":"success"')
    const keys = () => slow.requests.map(({ headers }) => headers['authorization'])
    expect(keys()).toEqual(['Bearer the-first-key'])
    await chat(server, 'hello', 'openai/gpt-x')
    expect(keys()).toEqual(['Bearer the-first-key', 'Bearer the-second-key'])
    await server.stop()
  })
  await slow.close()
})

test('the environment wins over Settings, and says so; its key goes to no address of Settings', async () => {
  await inFolder(async dir => {
    const other = await startFakeUpstream()
    const secret = join(dir, 'openai-key')
    writeFileSync(secret, 'sk-from-a-secret-file-1234\n')
    const server = await launch(dir, ['--port', '0'], {
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: fake.url,
      OPENAI_API_KEY_FILE: secret,
    })
    expect(await stateOf(server, 'anthropic')).toMatchObject({
      set: true,
      source: 'environment',
      stored: false,
    })
    expect(await stateOf(server, 'openai')).toMatchObject({ set: true, source: 'file', last4: '1234' })
    const moved = await ask(server, 'PUT', '/api/providers/anthropic/key', {
      key: 'sk-other-key-of-somebody',
      base_url: other.url,
    })
    expect(moved.status).toBe(400)
    expect(moved.body.error.message).toContain('ANTHROPIC_BASE_URL')
    const put = await ask(server, 'PUT', '/api/providers/anthropic/key', { key: 'sk-other-key-of-somebody' })
    expect(put.body).toMatchObject({ source: 'environment', last4: 'wxyz', stored: true })
    await ask(server, 'PUT', '/api/providers/openai/key', { key: 'sk-x', base_url: `${other.url}/v1` })
    expect(await stateOf(server, 'openai')).toMatchObject({ source: 'file', last4: '1234' })
    expect(await chat(server, 'hello')).toContain('"subtype":"success"')
    expect(fake.requests.at(-1)?.headers['x-api-key']).toBe(KEY)
    expect(other.requests).toEqual([])
    expect((await ask(server, 'DELETE', '/api/providers/anthropic/key')).body).toMatchObject({
      set: true,
      source: 'environment',
      stored: false,
    })
    await server.stop()
    await other.close()
  })
})

test('a key of Settings that was given for one address is not sent to another that the environment names', async () => {
  await inFolder(async dir => {
    let server = await launch(dir)
    await ask(server, 'PUT', '/api/providers/anthropic/key', { key: KEY, base_url: fake.url })
    await server.stop()
    const other = await startFakeUpstream()
    server = await launch(dir, ['--port', '0'], { ANTHROPIC_BASE_URL: other.url })
    expect(await stateOf(server, 'anthropic')).toMatchObject({ set: false, stored: true })
    const tested = await ask(server, 'POST', '/api/providers/anthropic/test')
    expect(tested.body.error.code).toBe('missing_key')
    expect(other.requests).toEqual([])
    // One that was given for no address goes where the environment says.
    await ask(server, 'PUT', '/api/providers/anthropic/key', { key: KEY })
    await ask(server, 'POST', '/api/providers/anthropic/test')
    expect(other.requests).toHaveLength(1)
    await server.stop()
    await other.close()
  })
})

test('a test of a key gives the provider’s reason, and repeats no key', async () => {
  await inFolder(async dir => {
    const server = await launch(dir)
    for (const [provider, path] of [
      ['anthropic', ''],
      ['openai', '/v1'],
    ] as const) {
      const put = (base_url: string) =>
        ask(server, 'PUT', `/api/providers/${provider}/key`, { key: 'sk-wrong-key-0123456789', base_url })
      await put(fake.url + path)
      const refused = await ask(server, 'POST', `/api/providers/${provider}/test`)
      expect(refused.body).toMatchObject({ ok: false, error: { code: 'model_auth', http_status: 401 } })
      expect(JSON.stringify(refused.body)).not.toContain('sk-wrong')
      await put(`http://127.0.0.1:9${path}`)
      const lost = await ask(server, 'POST', `/api/providers/${provider}/test`)
      expect(lost.body).toMatchObject({ ok: false, error: { code: 'model_unavailable' } })
    }
    await server.stop()
  })
})

const REMOTE = 'key-of-an-operator'

describe('an address of a provider', () => {
  test('in the local network is accepted from a local user, and from others only by a setting', async () => {
    await inFolder(async dir => {
      const put = (server: Launched, base_url: string) =>
        fetch(`${server.url}/api/providers/openai/key`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${REMOTE}` },
          body: JSON.stringify({ key: 'sk-0123456789', base_url }),
        })
      const env = { TOOLWIRE_API_KEYS: REMOTE }
      let server = await launch(dir, ['--port', '0'], env)
      const near = /own network/
      for (const [address, why] of [
        [fake.url, /in the clear/],
        ['https://127.0.0.1/v1', near],
        ['https://localhost/v1', near],
        ['https://10.0.0.1/v1', near],
        ['https://169.254.169.254/latest', near],
        ['https://[::1]/v1', near],
        ['https://[::ffff:127.0.0.1]/v1', near],
        ['http://example.com/v1', /in the clear/],
        ['ftp://example.com', /begins with/],
        ['https://user:pass@example.com', /password/],
        ['https://example.com/v1?a=b', /end with its path/],
        ['no address', /begins with/],
      ] as const) {
        const answer = await put(server, address)
        expect([address, answer.status]).toEqual([address, 400])
        expect(await answer.text()).toMatch(why)
      }
      expect(existsSync(fileOf(dir))).toBe(false)
      await server.stop()
      const { host } = new URL(fake.url)
      server = await launch(dir, ['--port', '0'], { ...env, TOOLWIRE_PROVIDER_HOSTS: `llm.lan,${host}` })
      expect((await put(server, `${fake.url}/v1`)).status).toBe(200)
      expect((await put(server, 'http://127.0.0.1:1/v1')).status).toBe(400)
      await server.stop()
    })
  })

  test('that is public is watched: a name that leads into the own network by then is not connected to', async () => {
    await inFolder(async dir => {
      mkdirSync(join(dir, '.toolwire'))
      const { port } = new URL(fake.url)
      // As it is stored when the name was a public one.
      const entry = { key: KEY, base_url: `http://localhost:${port}`, is_near: false }
      writeFileSync(fileOf(dir), JSON.stringify({ version: 1, providers: { anthropic: entry } }), {
        mode: 0o600,
      })
      const server = await launch(dir, ['--port', '0'], { TOOLWIRE_MODEL_RETRIES: '0' })
      const before = fake.requests.length
      const tested = await ask(server, 'POST', '/api/providers/anthropic/test')
      expect(tested.body).toMatchObject({ ok: false, error: { code: 'model_unavailable' } })
      expect(await chat(server, 'hello', 'claude-sonnet-5-5')).toContain('"code":"model_unavailable"')
      expect(fake.requests.length).toBe(before)
      await server.stop()
    })
  })
})

describe('the file with the keys', () => {
  const WRITER = fileURLToPath(new URL('write-keys-for-ever.ts', import.meta.url))

  test('is whole after every kill, whenever it comes, and nothing is left beside it after the next start', async () => {
    await inFolder(async dir => {
      const data = join(dir, '.toolwire')
      mkdirSync(data)
      for (const lines of [1, 2, 5, 11]) {
        const child = spawn(process.execPath, ['--conditions=toolwire-source', WRITER, data], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        let seen = 0
        for await (const chunk of child.stdout.setEncoding('utf8')) {
          seen += String(chunk).length
          if (seen >= lines) child.kill('SIGKILL')
        }
        const { providers } = JSON.parse(readFileSync(fileOf(dir), 'utf8'))
        expect(providers.openai.key).toMatch(/^(a{100000}|b{100000})$/)
        expect(statSync(fileOf(dir)).mode & 0o777).toBe(0o600)
      }
      writeFileSync(`${fileOf(dir)}.draft`, '{"half')
      const server = await launch(dir)
      expect(readdirSync(data).filter(name => name.startsWith('provider-keys'))).toEqual([
        'provider-keys.json',
      ])
      await server.stop()
    })
  })

  test('is closed to other users, and a damaged one is reported without its content', async () => {
    await inFolder(async dir => {
      mkdirSync(join(dir, '.toolwire'))
      const entry = { key: KEY, is_near: true }
      const text = JSON.stringify({ version: 1, providers: { anthropic: entry } })
      writeFileSync(fileOf(dir), text, { mode: 0o644 })
      const doctor = await findings(dir)
      expect(doctor).toContain('note models by keys: Anthropic from Settings')
      expect(doctor).toContain('others can read')
      expect(statSync(fileOf(dir)).mode & 0o777).toBe(0o644)
      const server = await launch(dir)
      expect(statSync(fileOf(dir)).mode & 0o777).toBe(0o600)
      await server.stop()
      writeFileSync(fileOf(dir), text.slice(0, -1))
      const refused = await run(['--port', '0'], dir)
      expect(refused.code).toBe(4)
      expect(refused.stderr).toMatch(/^toolwire: The keys of providers in \S+ are damaged; [^\n]+\n$/)
      const told = await run(['doctor', '--port', '0', '--online', '--json'], dir)
      expect(told.code).toBe(6)
      expect(refused.stderr + told.stdout + told.stderr).not.toContain(KEY)
    })
  })
})

test('the doctor names the source of each provider’s key, and no letter of it', async () => {
  await inFolder(async dir => {
    const secret = join(dir, 'secret')
    writeFileSync(secret, 'sk-secret-of-a-file')
    const before = fake.requests.length
    const env = { ANTHROPIC_API_KEY: 'sk-secret-of-env', ANTHROPIC_BASE_URL: fake.url }
    const both = await findings(dir, { ...env, OPENAI_API_KEY_FILE: secret })
    expect(both).toContain(
      'models by keys: Anthropic from ANTHROPIC_API_KEY, OpenAI from the file of OPENAI_API_KEY_FILE',
    )
    expect(both).not.toContain('sk-secret')
    const near = await findings(dir, { OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' })
    expect(near).toContain('OpenAI at OPENAI_BASE_URL, without a key')
    // No request is sent by default.
    expect(fake.requests.length).toBe(before)
    const gone = await run(['--port', '0'], dir, { OPENAI_API_KEY_FILE: join(dir, 'none') })
    expect(gone.code).toBe(2)
    expect(gone.stderr).toContain('OPENAI_API_KEY_FILE')
  })
})

test('the doctor queries the providers on request, and reports which of them accepts its key', async () => {
  await inFolder(async dir => {
    const { stdout, code } = await run(['doctor', '--port', '0', '--online'], dir, {
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: fake.url,
      OPENAI_API_KEY: 'sk-wrong-key-0123456789',
      OPENAI_BASE_URL: `${fake.url}/v1`,
    })
    expect(code).toBe(0)
    expect(stdout).toContain('ok   Anthropic answers and takes the key; models: 1\n')
    expect(stdout).toMatch(
      /note OpenAI does not answer as it should: Incorrect API key[^\n]*: set another key\n/,
    )
    expect(stdout).not.toMatch(/sk-wrong|sk-ant/)
  })
})

test('nothing that the server stores, sends, logs or backs up holds a key that was set', async () => {
  await inFolder(async dir => {
    const server = await launch(dir, ['--port', '0'], { TOOLWIRE_LOG: 'info' })
    await ask(server, 'PUT', '/api/providers/anthropic/key', { key: KEY, base_url: fake.url })
    await ask(server, 'POST', '/api/providers/anthropic/test')
    await ask(server, 'PUT', '/api/providers/anthropic/key', { key: KEY, base_url: 5 })
    await ask(server, 'PUT', '/api/providers/nobody/key', { key: KEY })
    const answer = await chat(server, 'list the files')
    expect(answer).toContain('README.md')
    const [session] = (await ask(server, 'GET', '/api/sessions')).body.sessions
    const told = await Promise.all(
      [
        '/api/providers',
        '/api/settings',
        '/api/doctor',
        '/api/models',
        '/api/audit',
        '/api/storage',
        '/metrics',
        `/api/sessions/${session.id}/export`,
        `/api/sessions/${session.id}/events?wire=canonical`,
      ].map(async path => await (await fetch(server.url + path)).text()),
    )
    const audit = (await ask(server, 'GET', '/api/audit')).body.entries
    expect(audit).toEqual([
      expect.objectContaining({
        action: 'provider_key.set',
        by: 'anybody',
        details: { provider: 'anthropic', base_url: fake.url },
      }),
    ])
    const end = await server.stop()
    expect(end.stdout + end.stderr).toContain('/api/providers/anthropic/key')
    const backup = join(dir, 'backup.jsonl')
    await run(['db', 'backup', '--out', backup], dir)
    const data = join(dir, '.toolwire')
    const kept = readdirSync(data, { recursive: true, encoding: 'utf8' })
      .map(name => join(data, name))
      .filter(path => path !== fileOf(dir) && statSync(path).isFile())
      .map(path => readFileSync(path, 'latin1'))
    const all = [answer, ...told, end.stdout, end.stderr, readFileSync(backup, 'latin1'), ...kept].join('\n')
    expect(all).toContain('wxyz')
    expect(all).not.toContain('sk-ant-api03')
    expect(all).not.toContain('pasted-in-settings')
  })
})
