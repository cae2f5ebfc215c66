import { describe, expect, it } from 'vitest'
import { ask, BUILTIN, CLIENT, partsOf } from './demo-harness.ts'

/** Whole part streams, one part a line. A change here is a change that every recorded demo session would show. */
const GOLDEN: readonly (readonly [
  file: string,
  said: string,
  options?: Readonly<Record<string, unknown>>,
])[] = [
  ['list-zh', '帮我看看当前目录下有什么文件'],
  ['list-and-read-en', 'list the files and read README.md'],
  ['weather-zh', '沈阳天气'],
  ['set-temperature-en', 'set the temperature to 0.8'],
  ['thinking-en', 'search for TODO', { thinking: { type: 'enabled' } }],
  ['badjson', '/badjson'],
  ['maxtokens', '/maxtokens'],
  ['refuse', '/refuse'],
]

describe('golden part streams', () => {
  it.each(GOLDEN.map(([file, said, options]) => ({ file, said, options })))(
    '$file',
    async ({ file, said, options }) => {
      const parts = await partsOf(
        ask(said, { tools: [...BUILTIN, ...CLIENT], ...(options ? { options } : {}) }),
      )
      const lines = `${parts.map(part => JSON.stringify(part)).join('\n')}\n`
      await expect(lines).toMatchFileSnapshot(`golden/${file}.jsonl`)
    },
  )
})
