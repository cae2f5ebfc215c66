import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeCommand } from '../../src/permissions/shell/judge-command.ts'
import { ASKS, READS } from './shell-corpus.ts'

const around = {
  cwd: '/w',
  home: '/home/me',
  isInside: (path: string) => resolve(path) === '/w' || resolve(path).startsWith('/w/'),
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

  test('a cd upwards counts for what follows', () => {
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

  test('control characters are refused', () => {
    expect(whyNot('ls\u0000rm')).toMatch(/control/)
    expect(whyNot('ls\rrm a')).toMatch(/control/)
  })
})
