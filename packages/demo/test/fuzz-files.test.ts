/** Files that a model is made of, with random wounds: scenarios and recordings. Read and played, or refused by name. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError, type Model } from '@toolwire/core'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bombed } from '../../core/test/bombs.ts'
import { fuzzing, mutatedJson, mutatedText } from '../../core/test/mutate.ts'
import { collect, request } from '../../models/test/collect.ts'
import { expectWellFormed } from '../../models/test/well-formed-parts.ts'
import { createReplayModel } from '../src/record/replay-model.ts'
import { loadScenario } from '../src/scenario/load-scenario.ts'

async function filesIn(folder: string): Promise<readonly unknown[]> {
  const at = new URL(folder, import.meta.url)
  const names = (await readdir(at)).filter(name => name.endsWith('.json'))
  return await Promise.all(
    names.map(async name => JSON.parse(await readFile(new URL(name, at), 'utf8')) as unknown),
  )
}

const SCENARIOS = await filesIn('../scenarios/')
const SMALL = {
  name: 'x',
  turns: [
    {
      when: { text_contains: 'hello', turn: 1 },
      emit: [
        { type: 'thinking', text: 'hm', chunk_size: 1 },
        { type: 'text', text: '{{text}} {{result}}', chunks: ['{{text}}', ' {{result}}'] },
        { type: 'tool_call', name: 'f', id: 'c', input: { a: '{{text}}' } },
      ],
      stop_reason: 'tool_use',
    },
    { emit: [{ type: 'error', code: 'x', message: 'y', retryable: true, http_status: 500 }] },
  ],
}

/** A delay is only a wait: it is read from the file, and not waited for here. */
const withoutDelays = (text: string): string => text.replaceAll(/"type":"delay"/g, '"type":"pause"')

async function expectPlayedOrRefused(json: string): Promise<void> {
  let model: Model
  try {
    model = loadScenario(withoutDelays(json))
  } catch (error) {
    if (!AppError.is(error)) throw error
    expect(['invalid_json', 'bad_request']).toContain(error.code)
    return
  }
  const parts = await collect(model, request('hello'))
  expectWellFormed(parts)
  expect(JSON.stringify(parts).length).toBeLessThanOrEqual(20_000 + 200 * json.length)
}

describe('a wounded scenario is played or refused by name', () => {
  test('with other values', async () => {
    await fc.assert(
      fc.asyncProperty(mutatedJson([SMALL, SMALL, ...SCENARIOS]), value =>
        expectPlayedOrRefused(JSON.stringify(value) ?? ''),
      ),
      fuzzing(400),
    )
  })
  test('with damaged text', async () => {
    await fc.assert(
      fc.asyncProperty(mutatedText([JSON.stringify(SMALL)]), expectPlayedOrRefused),
      fuzzing(300),
    )
  })
  test('with a bomb in it', async () => {
    await fc.assert(fc.asyncProperty(bombed([SMALL]), expectPlayedOrRefused), fuzzing(30))
  })
})

describe('a damaged recording is played, or rejected', () => {
  let folder = ''
  let recordings: readonly unknown[] = []
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolwire-fuzz-'))
    recordings = await filesIn('./record/recordings/')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function expectPlayed(text: string): Promise<void> {
    const file = join(folder, 'one.json')
    await writeFile(file, text)
    const parts = await collect(createReplayModel(file))
    expectWellFormed(parts)
    expect(parts.length).toBeLessThanOrEqual(100 + text.length)
  }

  test('with other values', async () => {
    expect(recordings.length).toBeGreaterThan(1)
    await fc.assert(
      fc.asyncProperty(mutatedJson(recordings), value => expectPlayed(JSON.stringify(value) ?? '')),
      fuzzing(300),
    )
  })
  test('with damaged text', async () => {
    const texts = recordings.map(value => JSON.stringify(value))
    await fc.assert(fc.asyncProperty(mutatedText(texts), expectPlayed), fuzzing(150))
  })
  test('with a bomb in it', async () => {
    await fc.assert(fc.asyncProperty(bombed(recordings), expectPlayed), fuzzing(30))
  })
})
