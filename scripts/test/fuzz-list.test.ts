import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../root.ts'

test('the list of decoders that are tried with hostile input names every file that does so, and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/reliability.md'), 'utf8')
  const named = [...page.matchAll(/`(packages\/[^`]*\/fuzz[^`]*\.test\.ts)`/g)].map(([, file]) => file)
  const there = globSync('{packages,apps}/*/test/**/fuzz*.test.{ts,tsx}', { cwd: ROOT })
  expect(named.toSorted()).toEqual(there.toSorted())
  expect(there.length).toBeGreaterThan(10)
})
