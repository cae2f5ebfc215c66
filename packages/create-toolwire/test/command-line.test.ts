/** The command as it runs from its package: what it writes, what it refuses, and what it asks at a terminal. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTerminal } from '../../cli/test/pseudo-terminal.ts'
import { TEMPLATES } from '../src/templates.ts'

const PACKAGE = join(import.meta.dirname, '..')
const MAIN = join(PACKAGE, 'src/main.ts')
const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
  readonly version: string
}

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'create-toolwire-'))
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

function create(args: readonly string[], { main = MAIN, at = cwd, node = [] as readonly string[] } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...node, main, ...args], {
    cwd: at,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  })
  return { status, stdout, stderr }
}

test.each(Object.keys(TEMPLATES))('writes a project from the template %s', template => {
  const { status, stdout, stderr } = create(['my-agent', '--template', template])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('cd my-agent')
  const project = join(cwd, 'my-agent')
  const files = readdirSync(project)
  for (const file of ['.gitignore', 'AGENTS.md', 'README.md', 'package.json', 'test', 'tsconfig.json'])
    expect(files).toContain(file)
  expect(files).not.toContain('gitignore')
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly dependencies: Readonly<Record<string, string>>
  }
  expect(manifest.name).toBe('my-agent')
  expect(manifest.dependencies['toolwire']).toBe(`^${version}`)
  for (const path of globSync('**/*.*', { cwd: project }).filter(one =>
    statSync(join(project, one)).isFile(),
  ))
    expect(readFileSync(join(project, path), 'utf8'), path).not.toMatch(/\b(PROJECT|TOOLWIRE)\b/)
})

test('writes into the current folder, also when it is a new repository', () => {
  const here = join(cwd, 'shop')
  mkdirSync(join(here, '.git'), { recursive: true })
  expect(create(['.', '-t', 'express'], { at: here }).status).toBe(0)
  expect(readFileSync(join(here, 'README.md'), 'utf8')).toMatch(/^# shop\n/)
})

test.each([
  '../out',
  '..',
  '/tmp/toolwire-out',
  'a/b',
  'a\\b',
  '',
  'Caps',
  '.hidden',
  'node_modules',
  'con',
  'aux.js',
  'two words',
  'line\nbreak',
  '名字',
  'x'.repeat(300),
  '@scope/name',
])('refuses the name %j', name => {
  const { status, stdout, stderr } = create([name, '--template', 'express'])
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^create-toolwire: ".*" cannot name a project: [^\n]+\n$/)
  expect(readdirSync(cwd)).toEqual([])
})

test('a name that looks like an option is one, and an unknown one is refused', () => {
  expect(create(['--force', 'app', '-t', 'express']).stderr).toMatch(
    /^create-toolwire: Unknown option '--force'[^\n]*\n$/,
  )
  expect(readdirSync(cwd)).toEqual([])
})

test('refuses a folder that holds something, a file, and a link that leads elsewhere', () => {
  for (const name of ['full', 'elsewhere']) mkdirSync(join(cwd, name))
  writeFileSync(join(cwd, 'full/a.txt'), 'mine')
  writeFileSync(join(cwd, 'file'), 'mine')
  symlinkSync(join(cwd, 'elsewhere'), join(cwd, 'link'))
  symlinkSync(join(cwd, 'nowhere'), join(cwd, 'dangling'))
  expect(create(['full', '-t', 'tool']).stderr).toBe('create-toolwire: The folder full is not empty.\n')
  for (const name of ['file', 'link', 'dangling'])
    expect(create([name, '-t', 'tool'])).toMatchObject({
      status: 2,
      stderr: `create-toolwire: ${name} is there already, and is no folder.\n`,
    })
  expect(readdirSync(join(cwd, 'full'))).toEqual(['a.txt'])
  expect(readdirSync(join(cwd, 'elsewhere'))).toEqual([])
  expect(existsSync(join(cwd, 'nowhere'))).toBe(false)
})

test.each(['vue', '../shared', 'shared', '__proto__', 'toString', ''])(
  'refuses the template %j and lists those that exist',
  template => {
    const { status, stderr } = create(['app', `--template=${template}`])
    expect(status).toBe(2)
    expect(stderr).toContain(`There is no template "${template}".`)
    for (const name of Object.keys(TEMPLATES)) expect(stderr).toContain(name)
    expect(readdirSync(cwd)).toEqual([])
  },
)

test('without a terminal it asks nothing and says what is missing', () => {
  expect(create([])).toMatchObject({ status: 2, stderr: expect.stringContaining('Name the folder') })
  expect(create(['app'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--template: chat-react'),
  })
  expect(create(['a', 'b']).stderr).toBe('create-toolwire: Give one folder, not 2.\n')
  expect(create(['--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('chat-vue') })
})

test('an older Node gets one sentence', () => {
  const old = "Object.defineProperty(process,'versions',{value:{...process.versions,node:'22.12.0'}})"
  const node = ['--import', `data:text/javascript,${old}`]
  expect(create(['app', '-t', 'tool'], { node })).toEqual({
    status: 6,
    stdout: '',
    stderr:
      'create-toolwire: Node 24.16 or later is needed, but this is Node 22.12.0; see https://nodejs.org.\n',
  })
})

test('a folder that cannot be written is one sentence', () => {
  const { status, stderr } = create(['app', '-t', 'tool'], { at: '/proc' })
  expect(status).toBe(1)
  expect(stderr).toMatch(/^create-toolwire: The project cannot be written to \/proc\/app: E[A-Z]+\.\n$/)
})

test('what fails midway leaves nothing, so that the next call works', () => {
  const broken = join(cwd, 'broken')
  for (const part of ['src', 'templates', 'package.json'])
    cpSync(join(PACKAGE, part), join(broken, part), { recursive: true })
  writeFileSync(join(broken, 'templates/tool/package.json'), '{')
  const main = join(broken, 'src/main.ts')
  mkdirSync(join(cwd, 'empty'))
  for (const folder of ['app', 'empty']) expect(create([folder, '-t', 'tool'], { main }).status).toBe(1)
  expect(existsSync(join(cwd, 'app'))).toBe(false)
  expect(readdirSync(join(cwd, 'empty'))).toEqual([])
  for (const folder of ['app', 'empty']) expect(create([folder, '-t', 'tool']).status).toBe(0)
})

test('a terminal is asked for the folder and the template', async () => {
  const terminal = openTerminal([], { cwd, main: MAIN })
  await terminal.see('Folder (my-agent): ')
  terminal.type('shop\r')
  await terminal.see('Template (1): ')
  terminal.type('4\r')
  expect(await terminal.ended).toBe(0)
  expect(readdirSync(join(cwd, 'shop'))).toContain('server.ts')
})

test('a terminal that closes leaves nothing', async () => {
  const terminal = openTerminal(['shop'], { cwd, main: MAIN })
  await terminal.see('Template (1): ')
  terminal.type('\u0004')
  expect(await terminal.ended).toBe(2)
  expect(readdirSync(cwd)).toEqual([])
})

test('it needs no other package', () => {
  const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
  for (const key of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts'])
    expect(manifest).not.toHaveProperty(key)
})
