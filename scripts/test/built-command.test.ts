/**
 * The command as shipped, built into a temporary folder: it works, and its start loads only what a start needs.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bombPdf } from '../../packages/tools/test/bomb-pdf.ts'
import { buildCommand } from '../build-command.ts'
import { ROOT } from '../root.ts'

let work = ''
const dist = (): string => join(work, 'toolwire/dist')

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'toolwire-built-'))
  mkdirSync(join(work, 'toolwire'))
  for (const name of ['package.json', 'sample-workspace'])
    cpSync(join(ROOT, 'packages/cli', name), join(work, 'toolwire', name), { recursive: true })
  // The dependency that is not in the bundle.
  mkdirSync(join(work, 'toolwire/node_modules'))
  symlinkSync(join(ROOT, 'node_modules/@vscode'), join(work, 'toolwire/node_modules/@vscode'))
  await buildCommand(dist())
})

/** Those that a failed test left behind are ended too. */
const children: ChildProcess[] = []

afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(work, { recursive: true, force: true })
})

interface Running {
  readonly url: string
  /** Asks it to end; resolves with its exit code. */
  readonly stop: () => Promise<number | null>
}

let count = 0

async function start(nodeOptions: readonly string[] = []): Promise<Running> {
  const data = join(work, `data-${++count}`)
  const child: ChildProcess = spawn(
    process.execPath,
    [...nodeOptions, join(dist(), 'main.js'), '--port', '0', '--data', data],
    { cwd: work, env: { PATH: process.env['PATH'], HOME: work }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  children.push(child)
  const ended = new Promise<number | null>(resolve => child.once('exit', code => resolve(code)))
  const url = await addressOf(child)
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      return await ended
    },
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the command has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
    if (url !== undefined) return url
  }
  throw new Error('the command ended before it listened')
}

const post = async (url: string, body: object): Promise<Response> =>
  await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test('answers in a chat, shows its page and describes its API', async () => {
  const server = await start()
  try {
    const { id } = (await (await post(`${server.url}/api/sessions`, {})).json()) as { readonly id: string }
    const chat = await post(`${server.url}/api/chat/stream`, { session_id: id, message: 'Hello' })
    expect(await chat.text()).toContain('"type":"done"')
    expect(await (await fetch(server.url)).text()).toMatch(/src="\/assets\/[^"]+\.js"/)
    const described = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      readonly openapi: string
    }
    expect(described.openapi).toBe('3.1.0')
    expect((await fetch(`${server.url}/reference`)).status).toBe(200)
  } finally {
    expect(await server.stop()).toBe(0)
  }
})

test('runs tools whose code is loaded when they are called', async () => {
  const server = await start()
  const cell = { cell_type: 'code', id: 'one', metadata: {}, source: 'x', execution_count: null, outputs: [] }
  const html = { output_type: 'display_data', metadata: {}, data: { 'text/html': '<b>bold</b>' } }
  const notebook = { cells: [{ ...cell, outputs: [html] }], metadata: {}, nbformat: 4, nbformat_minor: 5 }
  const workspace = join(work, `data-${count}`, 'workspace')
  writeFileSync(join(workspace, 'a.ipynb'), JSON.stringify(notebook))
  const tried = async (tool: string, input: object): Promise<string> =>
    await (await post(`${server.url}/api/tools/${tool}/try`, { input })).text()
  try {
    expect(await tried('Grep', { pattern: 'greet', path: '.' })).toContain('"completed"')
    expect(await tried('Read', { file_path: join(workspace, 'a.ipynb') })).toContain('**bold**')
  } finally {
    expect(await server.stop()).toBe(0)
  }
})

test('reads documents and large texts in threads', async () => {
  const server = await start()
  const workspace = join(work, `data-${count}`, 'workspace')
  writeFileSync(join(workspace, 'a.pdf'), bombPdf({ width: 2, depth: 2 }))
  writeFileSync(join(workspace, 'a.txt'), 'hello\n'.repeat(100_000))
  const read = async (name: string): Promise<string> => {
    const input = { file_path: join(workspace, name), limit: 1 }
    return await (await post(`${server.url}/api/tools/Read/try`, { input })).text()
  }
  try {
    expect(await read('a.pdf')).toContain('wordword')
    expect(await read('a.txt')).toContain('Lines 1-1 of 100000')
  } finally {
    expect(await server.stop()).toBe(0)
  }
})

/** Something that only the code in question holds. */
const NOT_FOR_A_START = {
  'the client of MCP': 'notifications/initialized',
  'the driver of PostgreSQL': 'SCRAM-SHA-256',
  'the reader of PDF': 'InvalidPDFException',
  'the reader of HTML': 'blockquote',
  'the description of the API': '3.1.0',
  'the fake APIs': 'x-fake-fault',
  'the other commands': 'look whether everything is in place',
} as const

/** Loaded by Node itself: `fetch`, and what takes types out of sources. */
const NOT_OF_NODE = ['internal/deps/undici/undici', 'internal/deps/amaro/dist/index']

test('loads nothing at its start that a start does not need', async () => {
  const loaded = join(work, 'loaded.json')
  const watch = join(work, 'watch.mjs')
  writeFileSync(
    watch,
    `import { registerHooks } from 'node:module'
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
const files = []
if (isMainThread) {
  registerHooks({ load(url, context, next) { files.push(url); return next(url, context) } })
  process.on('exit', () => writeFileSync(${JSON.stringify(loaded)}, JSON.stringify({ files, node: process.moduleLoadList })))
}
`,
  )
  const server = await start(['--import', watch])
  expect(await server.stop()).toBe(0)
  const { files, node } = JSON.parse(readFileSync(loaded, 'utf8')) as {
    readonly files: readonly string[]
    readonly node: readonly string[]
  }
  const own = files.filter(url => url.startsWith('file:')).map(url => fileURLToPath(url))
  expect(own.filter(path => !path.startsWith(dist()))).toEqual([])
  expect(own.map(path => basename(path))).toContain('main.js')
  const texts = new Map(
    readdirSync(dist())
      .filter(name => name.endsWith('.js'))
      .map(name => [name, readFileSync(join(dist(), name), 'utf8')]),
  )
  for (const [what, words] of Object.entries(NOT_FOR_A_START)) {
    const holders = [...texts].filter(([, text]) => text.includes(words)).map(([name]) => name)
    expect(holders, `no file holds ${what}`).not.toEqual([])
    expect(
      own.map(path => basename(path)).filter(name => holders.includes(name)),
      `${what} is loaded`,
    ).toEqual([])
  }
  for (const name of NOT_OF_NODE) expect(node).not.toContain(`NativeModule ${name}`)
})

test('an older Node can read its first file, and gets one sentence', () => {
  const main = readFileSync(join(dist(), 'main.js'), 'utf8')
  const imported = [...main.matchAll(/import\s*([^"'`;]*?)\s*from\s*["']([^"']+)["']/g)]
  // Names that Node 20 lacks would fail while it links, before a line of ours runs.
  const names = imported.map(([, what = '', from]) => `${from} ${what.replace(/ as \w+/g, '')}`)
  expect(names.map(name => name.replace(/ \w+$/, ' default')).sort()).toEqual([
    'node:module default',
    'node:os {homedir}',
    'node:path {join}',
    'node:url {fileURLToPath}',
  ])
  const version = "Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})"
  const args = ['--import', `data:text/javascript,${version}`, join(dist(), 'main.js'), 'doctor']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect({ status, stdout, stderr }).toEqual({
    status: 6,
    stdout: '',
    stderr: 'toolwire: Node 24.16 or later is needed, but this is Node 20.20.2; see https://nodejs.org.\n',
  })
})

test('brings the server for tests, which ends with its test and shares the files of the command', async () => {
  const code = `
    const { startTestServer } = await import(${JSON.stringify(join(dist(), 'testing.js'))})
    const server = await startTestServer()
    const { status } = await fetch(server.url + '/api/sessions', { method: 'POST' })
    await server.close()
    console.log(status)`
  const env = { PATH: process.env['PATH'], HOME: work, TMPDIR: work }
  const file = join(work, 'users-test.mjs')
  writeFileSync(file, code)
  const out = execFileSync(process.execPath, [file], { env, cwd: work })
  expect(out.toString().trim()).toBe('201')
  expect(readdirSync(work).filter(name => name.startsWith('toolwire-test-'))).toEqual([])
  expect(readFileSync(join(dist(), 'testing.js'), 'utf8').length).toBeLessThan(10_000)
})

test('comes with the licences of what it holds', () => {
  const text = readFileSync(join(dist(), 'licences.txt'), 'utf8')
  for (const name of ['find-my-way', 'zod', 'commander', 'pg', '@modelcontextprotocol/client'])
    expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'))
  expect(readdirSync(dist())).toContain('LICENSE')
})
