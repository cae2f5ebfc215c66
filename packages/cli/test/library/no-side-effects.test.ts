/** What the library does to the process around it: nothing. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ENTRY = fileURLToPath(new URL('../../src/index.ts', import.meta.url))

/** A program that talks to an embedded server, and reports what has changed in its process meanwhile. */
const PROGRAM = `
const reads = new Set()
const note = name => {
  const [from = ''] = new Error().stack.split('\\n').slice(3)
  // What Node reads itself does not matter here.
  const module = /node_modules\\/([^/]+)/.exec(from)?.[1]
  if (module !== undefined) reads.add(module + ' ' + String(name))
  else if (from.includes('/packages/')) reads.add(String(name) + from)
}
const real = process.env
Object.defineProperty(process, 'env', { value: new Proxy(real, {
  get: (env, name) => { note(name); return env[name] },
  has: (env, name) => { note(name); return name in env },
  ownKeys: env => { note('all'); return Reflect.ownKeys(env) },
}) })
// zod keeps its registry there, which a program's own copy of zod does as well.
const globals = () => Object.getOwnPropertyNames(globalThis).filter(name => !name.startsWith('__zod_')).sort().join()
const listeners = () => process.eventNames().map(name => String(name) + process.listenerCount(name)).sort().join()
const functions = () => [fetch, Request, Response, Headers, setTimeout, queueMicrotask, console.log]
const before = { globals: globals(), listeners: listeners(), functions: functions(), directory: process.cwd() }
const changes = []
const look = when => {
  if (globals() !== before.globals) changes.push(when + ': globals ' + globals().replace(before.globals, ''))
  if (listeners() !== before.listeners) changes.push(when + ': listeners ' + listeners())
  if (functions().some((one, i) => one !== before.functions[i])) changes.push(when + ': functions')
  if (process.cwd() !== before.directory) changes.push(when + ': directory')
}
const write = process.stdout.write.bind(process.stdout)
for (const stream of [process.stdout, process.stderr]) stream.write = text => { changes.push('printed ' + text); return true }

const { createToolwire } = await import(${JSON.stringify(ENTRY)})
look('import')
const handles = process.getActiveResourcesInfo().length
const tw = createToolwire({ access: 'open', store: { sqlite: process.argv[2] } })
look('create')
if (process.getActiveResourcesInfo().length > handles) changes.push('create: handles')
const client = tw.as({ owner: 'alice' })
const { id } = await client.sessions.create()
await client.send(id, 'hello')
for await (const { ev } of client.events(id)) if (ev.type === 'run.completed') break
look('run')
await tw.close()
look('close')
write(JSON.stringify({ changes, reads: [...reads] }))
`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-quiet-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('reads no variable, adds no listener, prints nothing, and lets the process end by itself', () => {
  const program = join(folder, 'program.mjs')
  writeFileSync(program, PROGRAM)
  const args = ['--conditions=toolwire-source', program, join(folder, 'data')]
  const { changes, reads } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
    readonly changes: readonly string[]
    readonly reads: readonly string[]
  }
  expect(changes).toEqual([])
  // Packages of others read these when the sources load them; none of ours reads any.
  expect(reads.toSorted()).toEqual(['pg NODE_PG_FORCE_NATIVE', 'pg USER', 'which OSTYPE'])
})
