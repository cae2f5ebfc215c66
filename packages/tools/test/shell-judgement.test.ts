import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeCommand } from '../src/permissions/shell/judge-command.ts'
import type { DirectoryEntry, Repository } from '../src/permissions/shell/read-hazards.ts'
import { ASKS, READS } from './shell-corpus.ts'

const around = {
  cwd: '/w',
  home: '/home/me',
  isInside: (path: string) => resolve(path) === '/w' || resolve(path).startsWith('/w/'),
  realPath: (path: string) => path,
  entries: (): readonly DirectoryEntry[] => [],
  repository: 'own' as Repository,
}

function whyNot(command: string): string | undefined {
  const judged = judgeCommand(command, around)
  if (!judged.ok) return judged.reason
  return judged.commands.find(part => part.because !== undefined)?.because
}

describe('whether a command line only reads', () => {
  test('the corpus has at least 300 commands', () => {
    expect(new Set([...READS, ...ASKS]).size).toBeGreaterThanOrEqual(300)
  })

  test.each(READS)('reads: %s', command => {
    expect(whyNot(command)).toBeUndefined()
  })

  test.each(ASKS)('asks: %s', command => {
    expect(whyNot(command)).toBeDefined()
  })

  test('no known way round the judgement passes', () => {
    const file = new URL('./shell-bypasses.txt', import.meta.url)
    const known = readFileSync(file, 'utf8').split('\n').filter(Boolean)
    expect(known.length).toBeGreaterThan(400)
    expect(known.filter(command => whyNot(command) === undefined)).toEqual([])
  })

  test('a read-only command joined with one that asks always asks', () => {
    const joined = fc.tuple(
      fc.constantFrom(...READS.filter(one => !/[#\n]/.test(one))),
      fc.constantFrom(' && ', ' || ', '; ', ' | ', '\n', ' & '),
      fc.constantFrom('rm a', 'git push', 'npm install', 'curl x', 'touch x'),
      fc.boolean(),
    )
    fc.assert(
      fc.property(joined, ([reads, operator, asks, first]) => {
        expect(whyNot(first ? asks + operator + reads : reads + operator + asks)).toBeDefined()
      }),
      { numRuns: 300 },
    )
  })

  test('text that the grammar does not accept is never read-only, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), text => {
        const judged = judgeCommand(text, around)
        if (judged.ok) for (const part of judged.commands) expect(typeof part.text).toBe('string')
        else expect(judged.reason).not.toBe('')
      }),
      { numRuns: 500 },
    )
  })

  test('a cd inside the workspace moves where relative paths lead', () => {
    expect(whyNot('cd src && cat ../a.txt')).toBeDefined()
    expect(whyNot('cd src/deep && ls .')).toBeUndefined()
  })

  test('a cd upwards applies to what follows', () => {
    const judged = judgeCommand('cd .. && cat ../x', { ...around, cwd: '/w/sub' })
    expect(judged.ok && judged.commands.map(part => part.because)).toEqual([
      undefined,
      'it reads outside the workspace: ../x',
    ])
  })

  test('a cd on any line, however it is dressed, keeps git from being plain', () => {
    expect(whyNot('ls\n\ngit status')).toBeUndefined()
    expect(whyNot('python3 --version\ntime time cd evil && git status')).toBeDefined()
    expect(whyNot('ls\nif true; then cd evil; fi\ngit status')).toBeDefined()
  })

  test('a line without any command does nothing', () => {
    for (const line of ['', '  ', '# [[ a ]]', '\n# a\n\n  # b\n']) expect(whyNot(line)).toBeUndefined()
    expect(whyNot('# a\n[[ a ]]')).toBeDefined()
  })

  describe('what a wildcard may match', () => {
    const whyIn = (names: Readonly<Record<string, boolean>>, command: string): string | undefined => {
      const listed = Object.entries(names).map(([name, isLink]) => ({ name, isLink }))
      const judged = judgeCommand(command, {
        ...around,
        isInside: path => around.isInside(path) && !path.endsWith('/out'),
        entries: dir => (dir === '/w/src' || dir === '/w' ? listed : []),
      })
      return judged.ok ? judged.commands.find(part => part.because !== undefined)?.because : judged.reason
    }

    test('an option, when a name in the directory begins like one', () => {
      expect(whyIn({ '--x': false }, 'wc -l *')).toMatch(/option/)
      expect(whyIn({ '--x': false }, 'wc -l ./*')).toBeUndefined()
      expect(whyIn({ '--x': false }, 'cd src && ls *')).toMatch(/option/)
      expect(whyIn({ '--x': false }, "find . -name '*'")).toBeUndefined()
      expect(whyIn({ x: false }, 'wc -l *')).toBeUndefined()
    })

    test('a link that leads out, where the program would open it', () => {
      for (const command of ['grep a src/*.ts', 'wc src/*', 'ls ./*', 'rg a src/*', 'diff src test']) {
        expect(whyIn({ out: true }, command)).toMatch(/follow a link out of the workspace/)
        expect(whyIn({ out: false }, command)).toBeUndefined()
        expect(whyIn({ in: true }, command)).toBeUndefined()
      }
      expect(whyIn({ out: true }, 'echo src/*')).toBeUndefined()
      expect(whyIn({ out: true }, "grep -r 'a.*' src")).toBeUndefined()
    })
  })

  test('git is asked about where the repository is not that of the workspace', () => {
    const whyIn = (repository: Repository, command: string): string | undefined => {
      const judged = judgeCommand(command, { ...around, repository })
      return judged.ok ? judged.commands.find(part => part.because !== undefined)?.because : judged.reason
    }
    expect(whyIn('other', 'git status')).toMatch(/may name programs/)
    expect(whyIn('other', 'git --no-pager log')).toMatch(/may name programs/)
    expect(whyIn('other', 'git --version')).toBeUndefined()
    expect(whyIn('none', 'git status')).toBeUndefined()
    expect(whyIn('none', 'git diff a b')).toMatch(/no repository/)
  })

  test('control characters are refused', () => {
    expect(whyNot('ls\u0000rm')).toMatch(/control/)
    expect(whyNot('ls\rrm a')).toMatch(/control/)
  })
})
