/** The attributes that the documentation promises, against the sources of both packages. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LOCALES } from '@toolwire/core/view'
import * as inReact from '@toolwire/react'
import { expect, test } from 'vitest'
import * as inVue from '../src/index.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const DOC = readFileSync(`${ROOT}/docs/ui-packages.md`, 'utf8')
const sourceOf = (name: string): string =>
  globSync(`packages/${name}/src/**/*.{ts,tsx}`, { cwd: ROOT })
    .map(file => readFileSync(`${ROOT}/${file}`, 'utf8'))
    .join('\n')
const distinct = (text: string, pattern: RegExp): readonly string[] =>
  [...new Set([...text.matchAll(pattern)].map(match => match[1] ?? match[2] ?? ''))].sort()

/** In JSX an attribute, in render functions a property or the first argument of a custom button. */
const PARTS = /data-tw-part(?:="|': ')([a-z-]+)|\bbutton\(\s*'([a-z-]+)'/g
const OTHERS = /\b(data-(?!tw-part)[a-z-]+)(?:=|':)/g

const section = (from: string, to: string): string => DOC.slice(DOC.indexOf(from), DOC.indexOf(to))
const documentedParts = [...section('### `data-tw-part`', '### Others').matchAll(/^\| [^|]+ \| (`.+) \|$/gm)]
  .flatMap(([, values = '']) => values.split(' ').map(value => value.replaceAll('`', '')))
  .sort()
const documentedOthers = distinct(section('### Others', '```ts\nawait page'), /`(data-[a-z-]+)`/g)

test.each(['react', 'vue'])('every part that %s draws is documented, and nothing else', name => {
  expect(new Set(documentedParts).size).toBe(documentedParts.length)
  expect(distinct(sourceOf(name), PARTS)).toEqual(documentedParts)
  expect(documentedParts.length).toBeGreaterThan(80)
})

test.each(['react', 'vue'])('every further attribute that %s draws is documented, and nothing else', name => {
  expect(distinct(sourceOf(name), OTHERS)).toEqual(documentedOthers)
})

test('no part is styled or found by a class', () => {
  for (const name of ['react', 'vue']) expect(sourceOf(name)).not.toMatch(/className|\bclass: /)
})

test('the documentation names the languages that there are', () => {
  expect(LOCALES).toEqual(['en', 'zh-Hans', 'zh-Hant'])
  expect(DOC).toContain('English, simplified and traditional Chinese')
})

test('both packages have parts and hooks of the same names', () => {
  const names = (exported: object) => Object.keys(exported).sort()
  // A display where a function serves better than a component, and a name for templates with a part called Thread.
  const alone = new Set(['icon', 'TwThread'])
  expect(names(inVue).filter(name => !alone.has(name))).toEqual(names(inReact))
  expect(inVue.TwThread).toBe(inVue.Thread)
})

test('the documents name every part and hook that there is', () => {
  const readme = readFileSync(`${ROOT}/packages/react/README.md`, 'utf8')
  const named = Object.keys(inReact).filter(name => /^(?:use)?[A-Z][a-z]/.test(name))
  expect(named.filter(name => !readme.includes(`\`${name}`))).toEqual([])
})
