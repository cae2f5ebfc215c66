/** Recorded streams, played back through the true readers: what each says is pinned, part for part. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collect } from '../../../models/test/collect.ts'
import { createReplayModel } from '../../src/record/replay-model.ts'

const DIR = join(import.meta.dirname, 'recordings')
const FILES = (await readdir(DIR)).filter(name => name.endsWith('.json')).sort()

describe('golden replays', () => {
  it('are there for both APIs, whole and broken', () => {
    expect(FILES.map(name => name.replace('.json', ''))).toEqual([
      'anthropic-calls',
      'anthropic-cut',
      'anthropic-one-byte',
      'anthropic-refused',
      'openai-calls',
      'openai-cut',
      'openai-one-byte',
      'openai-refused',
    ])
  })

  it.for(FILES)('%s', async file => {
    const parts = await collect(createReplayModel(join(DIR, file)))
    const lines = `${parts.map(part => JSON.stringify(part)).join('\n')}\n`
    await expect(lines).toMatchFileSnapshot(`recordings/${file.replace('.json', '.jsonl')}`)
  })
})
