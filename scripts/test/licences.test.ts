import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mayShip, renderList } from '../licences.ts'
import { type Lock, publishedWorkspaces, readLock, shippedWith } from '../shipped-dependencies.ts'

const one = (licence: string, name = 'a') => ({ name, licence })

test.each(['MIT', 'Apache-2.0', '(MIT OR GPL-3.0)', 'MIT AND ISC', '(BSD-2-Clause OR (MIT AND Apache-2.0))'])(
  '%s may be shipped',
  licence => expect(mayShip(one(licence))).toBe(true),
)

test.each(['GPL-3.0', 'MIT AND GPL-3.0', 'UNLICENSED', 'SEE LICENSE IN LICENSE.txt', '', 'OFL-1.1'])(
  '«%s» may not be shipped',
  licence => expect(mayShip(one(licence))).toBe(false),
)

test('fonts may come under the licence of fonts', () => {
  expect(mayShip(one('OFL-1.1', '@fontsource-variable/inter'))).toBe(true)
})

const lock: Lock = {
  packages: {
    'packages/a': { dependencies: { '@own/b': '1', direct: '1' } },
    'packages/b': { dependencies: { nested: '1' }, optionalDependencies: { other: '1', absent: '1' } },
    'node_modules/@own/b': { link: true, resolved: 'packages/b' },
    'node_modules/direct': { version: '1.0.0', license: 'MIT', dependencies: { nested: '2' } },
    'node_modules/direct/node_modules/nested': { version: '2.0.0', license: 'ISC' },
    'node_modules/nested': { version: '1.0.0', license: 'MIT' },
    'node_modules/other': { version: '3.0.0', license: 'MIT' },
    'node_modules/unused': { version: '1.0.0', license: 'GPL-3.0' },
  },
}

test('what is shipped is found through links, in nested folders and for other platforms; nothing else is', () => {
  const shipped = shippedWith(lock, ['packages/a'])
  expect(shipped.map(({ name, version }) => `${name} ${version}`)).toEqual([
    'direct 1.0.0',
    'nested 1.0.0',
    'nested 2.0.0',
    'other 3.0.0',
  ])
})

test('every shipped dependency has a licence that goes with MIT, and THIRD-PARTY.md lists it', () => {
  const real = readLock()
  const shipped = shippedWith(real, publishedWorkspaces(real))
  expect(shipped.filter(each => !mayShip(each))).toEqual([])
  expect(shipped.length).toBeGreaterThan(50)
  expect(readFileSync(new URL('../../THIRD-PARTY.md', import.meta.url), 'utf8')).toBe(renderList(shipped))
})
