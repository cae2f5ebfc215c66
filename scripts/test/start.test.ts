/** `npm start` on a small separate checkout: which of the two commands runs. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stampsOf } from '../file-stamp.ts'
import { ROOT } from '../root.ts'

const SOURCE = 'packages/core/src/a.ts'
const BUILT = 'packages/cli/dist/main.js'
const LIST = 'packages/cli/.cache/inputs.json'

let root = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolwire-start-'))
  put('package.json', '{"type":"module"}')
  put(SOURCE, 'export const a: number = 1\n')
  put(BUILT, "process.stdout.write(['built', ...process.argv.slice(2)].join(' '))\n")
  put('packages/cli/src/main.ts', "process.stdout.write(['sources', ...process.argv.slice(2)].join(' '))\n")
  mkdirSync(join(root, 'scripts'))
  cpSync(join(ROOT, 'scripts/start.js'), join(root, 'scripts/start.js'))
  put(LIST, JSON.stringify(stampsOf([join(root, BUILT), join(root, SOURCE)], root)))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function put(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

const start = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [join(root, 'scripts/start.js'), ...args], { encoding: 'utf8' })

test('runs what was built while nothing has changed, with the words of the caller', () => {
  expect(start('--port', '0')).toBe('built --port 0')
})

test('runs the sources once one of them was edited, also when its length stayed the same', () => {
  put(SOURCE, 'export const a: number = 2\n')
  expect(start('--port', '0')).toBe('sources --port 0')
})

test('runs the sources when one of them has another length, whatever its time says', () => {
  const then = new Date('2026-01-01T00:00:00Z')
  utimesSync(join(root, SOURCE), then, then)
  put(LIST, JSON.stringify(stampsOf([join(root, BUILT), join(root, SOURCE)], root)))
  expect(start()).toBe('built')
  put(SOURCE, 'export const a: number = 11\n')
  utimesSync(join(root, SOURCE), then, then)
  expect(start()).toBe('sources')
})

test('runs the sources when one of them is gone', () => {
  rmSync(join(root, SOURCE))
  expect(start()).toBe('sources')
})

test('runs the sources when another program has filled the folder of the build', () => {
  put(BUILT, "process.stdout.write('another build')\n")
  expect(start()).toBe('sources')
})

test.each(['', '{', '{}', 'null', '[{}]'])('runs the sources when the list is «%s»', text => {
  put(LIST, text)
  expect(start()).toBe('sources')
})

test('runs the sources when nothing was built', () => {
  rmSync(join(root, LIST))
  rmSync(join(root, BUILT))
  expect(start()).toBe('sources')
})

test('an older Node gets one sentence instead of the command', () => {
  const wanted =
    /\d+\.\d+/.exec(readFileSync(join(ROOT, 'package.json'), 'utf8').split('"node": ')[1] ?? '')?.[0] ?? ''
  const [major, minor] = wanted.split('.').map(Number)
  const older = `${major}.${Number(minor) - 1}.9`
  const version = (version: string): string =>
    `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`
  const startAs = (as: string) => {
    const args = ['--import', version(as), join(root, 'scripts/start.js')]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  for (const as of ['20.20.2', older])
    expect(startAs(as)).toEqual({
      status: 6,
      stdout: '',
      stderr: `toolwire: Node ${wanted} or later is needed, but this is Node ${as}; \`npm start\` brings its own.\n`,
    })
  for (const as of [`${wanted}.0`, '25.0.0'])
    expect(startAs(as)).toMatchObject({ status: 0, stdout: 'built' })
})
