/** Searches at their edges: which files they read, and how they name them. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createGlobTool } from '../src/builtin/glob.ts'
import { createGrepTool } from '../src/builtin/grep.ts'
import { createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
afterEach(() => {
  vi.unstubAllEnvs()
  stage?.close()
  stage = undefined
})

function withFiles(files: Readonly<Record<string, string>>): Stage {
  stage = createStage({
    tools: [createGlobTool(), createGrepTool()],
    mode: 'bypassPermissions',
  })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(stage.path(name)), { recursive: true })
    writeFileSync(stage.path(name), content)
  }
  return stage
}

describe('a search', () => {
  const lines = async (s: Stage, name: string, input: object): Promise<readonly string[]> =>
    textOf(await s.one(name, input)).split('\n')

  test('files are named by their absolute paths, wherever the search began', async () => {
    const s = withFiles({ 'src/deep/a.ts': 'hit\n' })
    const path = s.path('src', 'deep', 'a.ts')
    for (const more of [{}, { path: s.path('src') }, { path: 'src' }, { path: s.path('src', 'deep') }]) {
      expect(await lines(s, 'Glob', { pattern: '**/*.ts', ...more })).toEqual([path])
      expect(await lines(s, 'Grep', { pattern: 'hit', ...more })).toEqual(['Found 1 file', path])
      const content = { pattern: 'hit', output_mode: 'content', ...more }
      expect(await lines(s, 'Grep', content)).toEqual([`${path}:1:hit`])
    }
    expect(s.events('tool.completed')[0]?.structured).toMatchObject({ filenames: [path] })
  })

  test('links are not followed, neither in circles nor out of the workspace', async () => {
    const s = withFiles({ 'a.txt': 'hit\n' })
    mkdirSync(`${s.dir}/outside`)
    writeFileSync(`${s.dir}/outside/b.txt`, 'hit\n')
    symlinkSync(`${s.dir}/outside`, s.path('out'))
    symlinkSync(s.workspace, s.path('loop'))
    symlinkSync(s.path('a.txt'), s.path('again.txt'))
    expect(await lines(s, 'Glob', { pattern: '**/*.txt' })).toEqual([s.path('a.txt')])
    expect(await lines(s, 'Grep', { pattern: 'hit' })).toEqual(['Found 1 file', s.path('a.txt')])
  })

  test('what version control keeps for itself is not looked at, hidden files are', async () => {
    const own = ['.git', '.svn', '.hg', '.bzr', '.jj'].flatMap(name => [`${name}/x.txt`, `sub/${name}/x.txt`])
    const files = Object.fromEntries([...own, '.hidden.txt', '.config/y.txt'].map(name => [name, 'hit\n']))
    const s = withFiles(files)
    const found = [s.path('.config/y.txt'), s.path('.hidden.txt')]
    expect([...(await lines(s, 'Glob', { pattern: '**/*.txt' }))].sort()).toEqual(found)
    expect([...(await lines(s, 'Grep', { pattern: 'hit' }))].slice(1).sort()).toEqual(found)
  })

  test('a pattern that looks like an option is a pattern', async () => {
    const s = withFiles({ 'a.txt': '--files\n-e x\nplain\n' })
    for (const pattern of ['--files', '-e x'])
      expect(await lines(s, 'Grep', { pattern, output_mode: 'content', '-n': false })).toEqual([
        `${s.path('a.txt')}:${pattern}`,
      ])
  })

  test('a file that is named is searched alone, also when it is hidden or ignored', async () => {
    const files = { '.gitignore': '*.log\n', 'a.log': 'hit\n', '.env': 'hit\n', 'b.txt': 'hit\n' }
    const s = withFiles(files)
    for (const name of ['a.log', '.env', 'b.txt'])
      expect(await lines(s, 'Grep', { pattern: 'hit', path: s.path(name), output_mode: 'count' })).toEqual([
        `${s.path(name)}:1`,
      ])
    expect(await lines(s, 'Grep', { pattern: 'none', path: s.path('b.txt') })).toEqual(['No files found'])
  })

  test('a directory that is ignored is searched when it is named', async () => {
    const files = { '.gitignore': 'out/\n', 'out/deep/a.txt': 'hit\n', 'b.txt': 'hit\n' }
    const s = withFiles(files)
    const path = s.path('out', 'deep', 'a.txt')
    for (const dir of ['out', 'out/deep']) {
      expect(await lines(s, 'Glob', { pattern: '**/*.txt', path: s.path(dir) })).toEqual([path])
      expect(await lines(s, 'Grep', { pattern: 'hit', path: s.path(dir) })).toEqual(['Found 1 file', path])
    }
    expect(await lines(s, 'Glob', { pattern: '**/*.txt' })).toEqual([s.path('b.txt')])
  })

  test('settings of the person who runs the server change nothing', async () => {
    const s = withFiles({ 'a.txt': 'HIT\n', rc: '--ignore-case\n' })
    vi.stubEnv('RIPGREP_CONFIG_PATH', s.path('rc'))
    expect(await lines(s, 'Grep', { pattern: 'hit' })).toEqual(['No files found'])
  })

  test('of an over-long line the beginning is shown, and that there is more', async () => {
    const s = withFiles({ 'a.txt': `needle${'x'.repeat(2000)}\n` })
    const [line = ''] = await lines(s, 'Grep', { pattern: 'needle', output_mode: 'content', '-n': false })
    expect(line.startsWith(`${s.path('a.txt')}:needlexxx`)).toBe(true)
    expect(line).toMatch(/x \[\.\.\. omitted end of long line\]$/)
    expect(line.length - s.path('a.txt').length).toBeLessThan(560)
  })

  test('lines before and after a match are as many as requested', async () => {
    const s = withFiles({ 'a.txt': '1\n2\n3\nhit\n5\n6\n7\n' })
    const shown = async (more: object): Promise<string> => {
      const found = await lines(s, 'Grep', { pattern: 'hit', output_mode: 'content', '-n': false, ...more })
      return found.map(line => line.replace(s.path('a.txt'), '').slice(1)).join(' ')
    }
    expect(await shown({ '-A': 2 })).toBe('hit 5 6')
    expect(await shown({ '-B': 2 })).toBe('2 3 hit')
    expect(await shown({ context: 1 })).toBe('3 hit 5')
    expect(await shown({ '-C': 1, '-A': 0 })).toBe('3 hit')
  })
})
