import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { parseStatus, readGitFacts } from '../../src/prompt/git-facts.ts'

let dir = ''
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-git-facts-')))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true, force: true })
})

const factsIn = (cwd: string) =>
  readGitFacts({ context: { cwd, roots: [cwd], artifacts: dir, signal: new AbortController().signal } })
const git = (...args: readonly string[]): void =>
  void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: dir,
    stdio: 'ignore',
  })

test('reads the branch and the changed files of a repository, also from a directory in it', async () => {
  git('init', '-b', 'feature/x')
  for (const name of ['a b.txt', 'gone.txt', 'same.txt']) writeFileSync(join(dir, name), name)
  git('add', '.')
  git('commit', '-m', 'first')
  writeFileSync(join(dir, 'a b.txt'), 'changed')
  rmSync(join(dir, 'gone.txt'))
  mkdirSync(join(dir, 'in'))
  writeFileSync(join(dir, 'in/? new\n1.txt'), '')
  expect(await factsIn(dir)).toEqual({
    branch: 'feature/x',
    changed: ['a b.txt', 'gone.txt', 'in/'],
    more: 0,
  })
  expect((await factsIn(join(dir, 'in')))?.branch).toBe('feature/x')
})

test('reports a detached head, and the branch of a repository without commits', async () => {
  git('init', '-b', 'main')
  expect(await factsIn(dir)).toEqual({ branch: 'main', changed: [], more: 0 })
  git('commit', '--allow-empty', '-m', 'first')
  git('checkout', '--detach')
  expect((await factsIn(dir))?.branch).toBe('(no branch)')
})

test('reads conflicts, and sums up files beyond the twentieth', () => {
  const conflict = `u UU N... 100644 100644 100644 100644 ${'a'.repeat(40)} ${'b'.repeat(40)} ${'c'.repeat(40)} both sides.txt`
  const untracked = Array.from({ length: 21 }, (_, i) => `? ${i}`)
  const facts = parseStatus(
    ['# branch.oid (initial)', '# branch.head main', conflict, ...untracked, ''].join('\0'),
  )
  expect(facts.changed.slice(0, 2)).toEqual(['both sides.txt', '0'])
  expect(facts.changed).toHaveLength(20)
  expect(facts.more).toBe(2)
})

test('starts no process where there is no repository', async () => {
  const bin = join(dir, 'bin')
  const work = join(dir, 'work')
  for (const folder of [bin, work]) mkdirSync(folder)
  writeFileSync(join(bin, 'git'), `#!/bin/sh\ntouch ${join(dir, 'started')}\nexit 1\n`)
  chmodSync(join(bin, 'git'), 0o755)
  vi.stubEnv('PATH', [bin, process.env['PATH']].join(delimiter))
  expect(await factsIn(work)).toBeUndefined()
  expect(existsSync(join(dir, 'started'))).toBe(false)
  mkdirSync(join(dir, '.git'))
  expect(await factsIn(work)).toBeUndefined()
  expect(existsSync(join(dir, 'started'))).toBe(true)
})
