/**
 * Words of command lines in a workspace full of links with odd names: what is judged to stay inside is run by
 * a real shell, and prints nothing of what lies outside or is hidden.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzzing } from '../../core/test/mutate.ts'
import { entriesOf } from '../src/files/entries-of.ts'
import { canonicalPath, isInsideRoots } from '../src/files/resolve-path.ts'
import { judgeCommand } from '../src/permissions/shell/judge-command.ts'
import { commandEnvironment } from '../src/shell/environment.ts'
import { readingEnvironment } from '../src/shell/reading-environment.ts'

const SECRET = 'topsecret'
const TO_ROOT = ['x=', 'x=a:', 'a:', ':', '+', '=', 'x=+']
const TO_OUTSIDE = ['~', 'out', '[x]', 'a\u00a0b', '-l', '~+', '*', '"', 'x=~', '@', 'HEAD~1', '\\', '{a,b}']

let dir = ''
let workspace = ''
let deep = ''
let hidden = ''
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-words-')))
  workspace = join(dir, 'w')
  deep = join(workspace, 'd', 'e')
  hidden = join(workspace, '.data')
  for (const folder of [deep, hidden, join(dir, 'd')]) mkdirSync(folder, { recursive: true })
  for (const file of ['secret', 'a', 'd/a', 'd/secret', 'w/.data/f']) writeFileSync(join(dir, file), SECRET)
  for (const place of [workspace, join(workspace, 'd'), deep]) {
    writeFileSync(join(place, 'a'), 'inside')
    for (const name of TO_ROOT) symlinkSync('/', join(place, name))
    for (const name of TO_OUTSIDE) symlinkSync(dir, join(place, name))
    symlinkSync(join(dir, 'secret'), join(place, 's'))
    symlinkSync(workspace, join(place, 'l'))
    symlinkSync(deep, join(place, 'l2'))
  }
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const PIECES = [
  ...[
    '~',
    '~/',
    '=~',
    ':~',
    'x=~',
    'x=a:~/',
    '~+',
    'HEAD~1',
    '/',
    '//',
    '..',
    '../',
    '.',
    'x',
    '=',
    ':',
    '+',
  ],
  ...['l', 'l/', 'l2', 'out', 'secret', 'a', 's', 'd', 'd/', 'e', '.data', '.data/f', '.*', 'l/.data', '@'],
  ...['"', "'", '*', '?', '[x]', '-', '-r', '-L', '--hidden', '\u00a0', ' ', '\t', '{', '}', ',', '\\'],
  ...['$PWD', '$HOME', 'DIR', 'WORKSPACE'],
]
const PROGRAMS = [
  ...['cat ', 'cat ', 'cat ', 'head ', 'tail ', 'nl ', 'sort ', 'sed -n 1p ', 'diff a ', 'cd ', 'cd ', 'cd '],
  ...["grep '' ", "grep -r '' ", "rg '' ", 'git blame '],
]
const loose = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 })
  .map(pieces => pieces.join(''))
/** A path that leads out more often than not, if only the shell reads it in the right way. */
const path = fc
  .tuple(
    fc.constantFrom('', '', 'x=', 'x=a:', 'a:', "'", "''", '"'),
    fc.constantFrom('~', '~', 'l', 'l2', 'out', '..', '', '~"', "~'"),
    fc.constantFrom('/', '//', '/./', '//./'),
    fc.constantFrom('', '../', '..//', 'd/', '../../', 'l/'),
    fc.constantFrom('secret', 'a', '.data/f', '?', 'd/secret', ''),
    fc.constantFrom('', '', '', "'", '"'),
  )
  .map(parts => parts.join(''))
const word = fc.oneof(loose, { arbitrary: path, weight: 4 })
const command = fc.tuple(fc.constantFrom(...PROGRAMS), word).map(parts => parts.join(''))
const line = fc
  .tuple(command, fc.array(fc.tuple(fc.constantFrom(' && ', '; ', ' | ', '\n'), command), { maxLength: 2 }))
  .map(([first, rest]) => first + rest.flat().join(''))

test('what is judged to stay inside prints nothing of what is outside or hidden', () => {
  const place = fc.record({ isDeep: fc.boolean(), isHome: fc.boolean() })
  fc.assert(
    fc.property(line, place, (text, { isDeep, isHome }) => {
      const cwd = isDeep ? deep : workspace
      const home = isHome ? workspace : dir
      const source = text.replaceAll('DIR', dir).replaceAll('WORKSPACE', workspace)
      const judged = judgeCommand(source, {
        cwd,
        home,
        hidden: [hidden],
        isInside: path => isInsideRoots(path, [workspace], [hidden]),
        realPath: path => canonicalPath(path),
        entries: entriesOf,
        repository: 'own',
      })
      if (!judged.ok || judged.commands.some(part => part.because !== undefined)) return
      const env = readingEnvironment({ ...commandEnvironment(process.env), HOME: home })
      const shell = spawnSync('bash', ['--noprofile', '--norc', '-c', source], {
        cwd,
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      expect([source, shell.stdout.includes(SECRET)]).toEqual([source, false])
    }),
    fuzzing(1500),
  )
}, 300_000)
