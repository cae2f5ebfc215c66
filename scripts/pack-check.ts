/**
 * Packs every package as it would be published, looks through the tarballs, installs all of them into an
 * empty folder and runs the command there, with the web app and a conversation. `npm run test:pack`.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { lintPackages } from './lint-packages.ts'
import { openPackRegistry } from './pack-registry.ts'
import { pythonProblems } from './python-problems.ts'
import { ROOT } from './root.ts'
import { type Sizes, sizeProblems } from './size-budgets.ts'
import { npmEnvironment, type PackedPackage, stagePackages } from './stage-packages.ts'
import { tryGenerators } from './try-generators.ts'
import { HOSTS, tryHosts } from './try-hosts.ts'
import { tryInstall } from './try-install.ts'
import { tryPython } from './try-python.ts'
import { tryTemplates } from './try-templates.ts'
import { walkThroughPage } from './try-walk.ts'

const work = mkdtempSync(join(tmpdir(), 'toolwire-pack-'))
const env = npmEnvironment()

const ENTRIES = ['core', 'core/schema', 'core/view', 'core/parts', 'core/strings', 'wire', 'models', 'store']
const NODE_ENTRIES = [
  ...ENTRIES,
  'runtime',
  'runtime/engine',
  'tools',
  'tools/internal',
  'mcp',
  'mcp/serve',
  'engine-claude',
  'demo',
  'session',
  'server',
  'client',
]

/** Production builds of a user's page, which must hold the styles that the page imports. */
const BUNDLERS = ['@rspack/core@2.3.2', 'webpack@5.112.2']
const STYLED_BUILD = `
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rspack } from '@rspack/core'
import webpack from 'webpack'
const css = { test: /\\.css$/, type: 'css' }
const bundlers = { rspack: [rspack, {}], webpack: [webpack, { experiments: { css: true } }] }
for (const [bundler, [start, more]] of Object.entries(bundlers)) for (const name of ['react', 'vue']) {
  const out = import.meta.dirname + '/' + bundler + '-' + name
  writeFileSync(name + '-page.js', "import '@toolwire/" + name + "/styles.css'\\n")
  await new Promise((resolve, reject) =>
    start({ mode: 'production', entry: './' + name + '-page.js', output: { path: out }, module: { rules: [css] }, ...more },
      (error, stats) => error || stats.hasErrors() ? reject(error ?? stats.toString()) : resolve()),
  )
  const sheets = readdirSync(out).filter(file => file.endsWith('.css'))
  const text = sheets.map(file => readFileSync(out + '/' + file, 'utf8')).join('')
  if (!text.includes('[data-tw-part'))
    throw new Error('@toolwire/' + name + '/styles.css is not in a production build of ' + bundler)
}`

/** A test of a user: starts a server, talks to it, closes it. The process ends by itself then. */
const TEST_SERVER = `
const { startTestServer } = await import('toolwire/testing')
const { createClient } = await import('@toolwire/client')
const server = await startTestServer()
const client = createClient({ baseUrl: server.url })
const { id } = await client.sessions.create()
if ((await client.sessions.get(id)).id !== id) throw new Error('another session')
client.close()
await server.close()`

/** The library as programs use it; both tools would be refused if a type were missing. */
const LIBRARY = `
import { createToolwire, defineTool } from 'toolwire'
import { toNextHandlers } from 'toolwire/next'
import { toolwirePlugin } from 'toolwire/fastify'
import { z } from 'zod'
const input = z.object({ order: z.string() })
const refund = defineTool({ name: 'Refund', description: '', input, async *call({ order }) {
  yield { type: 'result', output_text: order.toUpperCase() }
} })
export const tw = createToolwire({ tools: [refund], authenticate: async ({ headers }) => ({ owner: headers.get('x') ?? 'a' }) })
export const { GET } = toNextHandlers(tw)
void toolwirePlugin
// @ts-expect-error a number is no base path
createToolwire({ basePath: 7 })
`

try {
  const packages = await stagePackages(work, 'https://git.example.invalid/toolwire')
  for (const { name, files, bytes } of packages)
    console.log(`${name}: ${files} files, ${Math.round(bytes / 1000)} kB`)
  const tarballs = packages.map(({ tarball }) => tarball)
  checkPython()
  await lintPackages({ work, env, packages })
  const home = install(tarballs)
  typeCheck(home)
  await importAll(home)
  runReadmes(home)
  runUsersTest(home)
  bundleStyles(home)
  await tryHosts({ home, env })
  await runCommand(home)
  const registry = await openPackRegistry(packages)
  try {
    const measured = {
      ...sizesOf(packages),
      'npm install toolwire': await tryInstall({ work, env: registry.env }),
    }
    checkSizes(measured)
    await tryTemplates({ work, env: registry.env })
    await walkThroughPage({ work, env: registry.env })
  } finally {
    await registry.close()
  }
  console.log(`${tarballs.length} packages packed, installed and run`)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** With `--update-sizes` the numbers are written instead of compared. */
function checkSizes(measured: Sizes): void {
  const path = join(ROOT, 'scripts/size-budgets.json')
  if (process.argv.includes('--update-sizes')) writeFileSync(path, `${JSON.stringify(measured, null, 2)}\n`)
  const problems = sizeProblems(measured, JSON.parse(readFileSync(path, 'utf8')) as Sizes)
  if (problems.length > 0)
    throw new Error(`${problems.join('\n')}\nnpm run test:pack -- --update-sizes writes new numbers.`)
}

function sizesOf(packages: readonly PackedPackage[]): Sizes {
  return Object.fromEntries(packages.map(({ name, files, bytes }) => [name, { files, bytes }]))
}

/** Its tools are not always at hand, so it is not built: what would go into it is looked through. */
function checkPython(): void {
  const folder = join(ROOT, 'clients/python')
  const source = join(folder, 'src')
  const paths = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.parentPath.endsWith('__pycache__'))
    .map(entry => join(entry.parentPath, entry.name))
  const files = new Map(paths.map(path => [relative(source, path), readFileSync(path, 'utf8')]))
  const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/client/package.json'), 'utf8')) as {
    readonly version: string
  }
  const pyproject = readFileSync(join(folder, 'pyproject.toml'), 'utf8')
  const problems = pythonProblems({ files, pyproject, version }, ROOT.replace(/\/$/, ''))
  if (problems.length > 0) throw new Error(problems.join('\n'))
  console.log(`clients/python: ${files.size} files`)
}

function install(tarballs: readonly string[]): string {
  const home = join(work, 'home')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{"private":true,"type":"module"}\n')
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--omit=peer', '--loglevel=error']
  execFileSync('npm', ['install', ...quiet, ...BUNDLERS, ...HOSTS, ...tarballs], {
    cwd: home,
    env,
    stdio: 'inherit',
  })
  return home
}

/** Declarations resolve and type-check for users of the packages. */
function typeCheck(home: string): void {
  const lines = NODE_ENTRIES.map((entry, i) => `import * as p${i} from '@toolwire/${entry}'\nvoid p${i}\n`)
  const use = `import { createClient } from '@toolwire/client'\nconst wrong: number = createClient\nvoid wrong\n`
  const testing = `import { startTestServer } from 'toolwire/testing'\nvoid startTestServer\n`
  writeFileSync(join(home, 'entries.ts'), lines.join('') + testing + LIBRARY)
  writeFileSync(join(home, 'wrong.ts'), use)
  const compiler = join(ROOT, 'node_modules/@typescript/native/bin/tsc')
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext']
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')]
  const check = (file: string): void => {
    execFileSync(process.execPath, [compiler, ...options, ...types, file], { cwd: home, encoding: 'utf8' })
  }
  check('entries.ts')
  try {
    check('wrong.ts')
  } catch {
    return
  }
  throw new Error('the declarations are not used: a wrong type was let through')
}

async function importAll(home: string): Promise<void> {
  const code = NODE_ENTRIES.map(entry => `await import('@toolwire/${entry}')`).join('\n')
  execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: home,
    env,
    stdio: 'inherit',
  })
}

/** The first JavaScript example of every README runs as it is written. */
function runReadmes(home: string): void {
  const folders = readdirSync(join(ROOT, 'packages')).map(name => join(ROOT, 'packages', name))
  const examples = folders.flatMap(folder => {
    const code = /^```js\n([\s\S]*?)^```$/m.exec(readFileSync(join(folder, 'README.md'), 'utf8'))?.[1]
    return code === undefined ? [] : [code]
  })
  if (examples.length < 6) throw new Error(`only ${examples.length} READMEs have an example that runs`)
  for (const code of examples) {
    writeFileSync(join(home, 'readme.js'), code)
    execFileSync(process.execPath, ['readme.js'], { cwd: home, env, stdio: ['ignore', 'ignore', 'inherit'] })
  }
}

/** In a separate file: threads do not start below `--eval`. */
function runUsersTest(home: string): void {
  writeFileSync(join(home, 'users-test.js'), TEST_SERVER)
  execFileSync(process.execPath, ['users-test.js'], { cwd: home, env, stdio: 'inherit' })
}

function bundleStyles(home: string): void {
  writeFileSync(join(home, 'styled-build.js'), STYLED_BUILD)
  execFileSync(process.execPath, ['styled-build.js'], { cwd: home, env, stdio: 'inherit' })
}

/** Starts the installed command on a free port, looks at the page and holds a conversation with the demo model. */
async function runCommand(home: string): Promise<void> {
  const command = join(home, 'node_modules/.bin/toolwire')
  const child = spawn(command, ['--port', '0', '--data', join(work, 'data')], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  try {
    const url = await addressOf(child)
    await checkPage(url)
    await converse(url)
    await tryGenerators({ work, env, url })
    await tryPython({ work, url })
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  if (child.exitCode !== 0) throw new Error(`the command ended with ${child.exitCode ?? child.signalCode}`)
}

async function addressOf(child: ReturnType<typeof spawn>): Promise<string> {
  if (!child.stdout) throw new Error('the command has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
    if (url !== undefined) return url
  }
  throw new Error('the command ended before it listened')
}

async function checkPage(url: string): Promise<void> {
  const page = await (await fetch(url)).text()
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1]
  if (script === undefined) throw new Error('the page of the web app is not there')
  for (const path of [script, '/icon.svg', '/openapi.json', '/reference']) {
    const { status } = await fetch(url + path)
    if (status !== 200) throw new Error(`${path} is answered with ${status}`)
  }
}

async function converse(url: string): Promise<void> {
  const post = async (path: string, body: object): Promise<Response> =>
    await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const { id } = (await (await post('/api/sessions', {})).json()) as { readonly id: string }
  const stream = await (await post('/api/chat/stream', { session_id: id, message: 'Hello' })).text()
  if (!stream.includes('"type":"done"')) throw new Error(`no whole answer: ${stream.slice(-500)}`)
  const input = { pattern: 'greet', path: '.' }
  const tried = (await (await post('/api/tools/Grep/try', { input })).json()) as { readonly status: string }
  if (tried.status !== 'completed') throw new Error(`Grep: ${JSON.stringify(tried)}`)
}
