/** What is recorded is what is replayed, without its secrets. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAnthropicModel, createOpenAiChatModel, createOpenAiResponsesModel } from '@toolwire/models'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collect, request } from '../../../models/test/collect.ts'
import { scriptedModel } from '../../../models/test/scripted-model.ts'
import { type FakeUpstream, startFakeUpstream } from '../../src/fake-upstream/start.ts'
import { createRecorder } from '../../src/record/recording-fetch.ts'
import { createReplayModel } from '../../src/record/replay-model.ts'

let dir: string
let upstream: FakeUpstream
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'toolwire-record-'))
  upstream = await startFakeUpstream({ model: scriptedModel() })
})
afterEach(async () => {
  await upstream.close()
  await rm(dir, { recursive: true, force: true })
})

const SECRET = 'sk-ant-api03-abcdefghijklmnop'
const models = (fetch: typeof globalThis.fetch, headers = {}) => ({
  anthropic: createAnthropicModel({
    model: 'claude-opus-5',
    apiKey: SECRET,
    baseUrl: upstream.url,
    fetch,
    headers,
    retry: { maxRetries: 0 },
  }),
  openai: createOpenAiChatModel({
    model: 'gpt-5',
    apiKey: SECRET,
    baseUrl: `${upstream.url}/v1`,
    fetch,
    headers,
    retry: { maxRetries: 0 },
  }),
  responses: createOpenAiResponsesModel({
    model: 'gpt-5',
    apiKey: SECRET,
    baseUrl: `${upstream.url}/v1`,
    fetch,
    headers,
    retry: { maxRetries: 0 },
  }),
})

describe.for(['anthropic', 'openai', 'responses'] as const)('%s', name => {
  it('replays a recorded stream part for part', async () => {
    const recorder = createRecorder(dir)
    const told = await collect(models(recorder.fetch)[name])
    await recorder.settled()
    const [file = ''] = await readdir(dir)
    // The price belongs to the true endpoint, so only the tokens are compared.
    const bare = (parts: Awaited<typeof told>) => parts.map(part => ({ ...part, cost_usd: undefined }))
    expect(bare(await collect(createReplayModel(join(dir, file))))).toEqual(bare(told))
    expect(told.at(-1)?.type).toBe('end')
  })

  it('replays a broken connection as a broken connection', async () => {
    const recorder = createRecorder(dir)
    const told = await collect(models(recorder.fetch, { 'x-fake-fault': 'cut-frame' })[name])
    await recorder.settled()
    const replayed = await collect(createReplayModel(dir))
    expect(replayed.slice(0, -1)).toEqual(told.slice(0, -1))
    expect(replayed.at(-1)).toMatchObject({ type: 'error', error: { code: 'model_unavailable' } })
  })

  it('replays a refusal with its status', async () => {
    const recorder = createRecorder(dir)
    await collect(models(recorder.fetch, { 'x-fake-fault': '401' })[name])
    await recorder.settled()
    expect(await collect(createReplayModel(dir))).toMatchObject([
      { error: { code: 'model_auth', http_status: 401 } },
    ])
  })
})

describe('recordings', () => {
  it('hold no key, neither from headers nor from what was said', async () => {
    const recorder = createRecorder(dir)
    await collect(models(recorder.fetch).anthropic, request(`my key is ${SECRET}, Bearer abcdefgh12345678`))
    await recorder.settled()
    const [file = ''] = await readdir(dir)
    const text = await readFile(join(dir, file), 'utf8')
    expect(text).not.toContain('abcdefgh')
    expect(text).toContain('[redacted]')
  })

  it('stop before their folder is larger than it may be, also after a restart', async () => {
    const first = createRecorder(dir)
    await collect(models(first.fetch).anthropic)
    await first.settled()
    const [file = ''] = await readdir(dir)
    const { size } = await stat(join(dir, file))
    let reports = 0
    const recorder = createRecorder(dir, { maxBytes: size * 2 + 200, onFull: () => reports++ })
    for (let i = 0; i < 4; i++)
      expect((await collect(models(recorder.fetch).anthropic)).at(-1)?.type).toBe('end')
    await recorder.settled()
    expect(await readdir(dir)).toHaveLength(2)
    expect(reports).toBe(1)
  })

  it('of a folder are played in order, and from the start again', async () => {
    const recorder = createRecorder(dir)
    const { anthropic } = models(recorder.fetch)
    const first = await collect(anthropic)
    await collect(models(recorder.fetch, { 'x-fake-fault': '529' }).anthropic)
    await recorder.settled()
    const replay = createReplayModel(dir)
    expect((await collect(replay)).at(-1)?.type).toBe('end')
    expect((await collect(replay)).at(-1)).toMatchObject({ error: { code: 'model_overloaded' } })
    expect((await collect(replay)).length).toBe(first.length)
  })

  it('that do not exist are an error part', async () => {
    expect(await collect(createReplayModel(join(dir, 'none.json')))).toMatchObject([{ type: 'error' }])
  })

  it('are read from files alone: devices, pipes and files without end are an error part', async () => {
    const pipe = join(dir, 'pipe.json')
    execFileSync('mkfifo', [pipe])
    const large = join(dir, 'large.json')
    await writeFile(large, '')
    await truncate(large, 65 * 1024 * 1024)
    for (const path of ['/dev/zero', '/proc/kmsg', pipe, large])
      expect(await collect(createReplayModel(path)), path).toMatchObject([{ type: 'error' }])
  })
})
