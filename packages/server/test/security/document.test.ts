/** docs/security.md names the tests that show what it says: they must exist, and run. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const at = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))
const text = readFileSync(at('docs/security.md'), 'utf8')
const named = [...text.matchAll(/^- `([^`]+\.test\.ts)`: (.+)$/gm)].map(([, file = '', name = '']) => ({
  file,
  name,
}))

/** The calls of a file that declare a test, each with the text that follows. */
const declarations = (source: string): readonly string[] =>
  source.split(/\b(?=(?:it|test)(?:\.\w+)*\()/).slice(1)

describe('the security document', () => {
  it('names tests that exist and are not skipped', () => {
    const missing = named.filter(({ file, name }) => {
      if (!existsSync(at(file))) return true
      const found = declarations(readFileSync(at(file), 'utf8')).filter(one =>
        ["'", '"', '`'].some(quote => one.includes(quote + name + quote)),
      )
      return !found.some(one => !/^(?:it|test)\.(?:skip|todo|only)/.test(one))
    })
    expect(missing).toEqual([])
    expect(named.length).toBeGreaterThan(90)
  })

  it('names each test once, and no line that looks like one is passed over', () => {
    expect(new Set(named.map(({ file, name }) => `${file} ${name}`)).size).toBe(named.length)
    expect(text.match(/\.test\.ts/g)?.length).toBe(named.length)
  })

  it('leaves out no file of security tests, and shows something in every chapter of attacks', () => {
    const files = [
      'packages/server/test/security',
      'packages/tools/test/security',
      'packages/mcp/test/security',
    ].flatMap(folder =>
      readdirSync(at(folder))
        .filter(name => name.endsWith('.test.ts') && name !== 'document.test.ts')
        .map(name => `${folder}/${name}`),
    )
    expect(files.filter(file => !named.some(one => one.file === file))).toEqual([])
    const chapters = text.split(/^## /m).slice(1)
    const bare = chapters
      .filter(chapter => !/^- `.*\.test\.ts`/m.test(chapter))
      .map(chapter => chapter.split('\n')[0])
    expect(bare).toEqual(['Who may reach what', 'What is not promised'])
  })
})
