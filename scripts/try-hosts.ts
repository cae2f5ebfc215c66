/** Runs the examples of embedding in a folder with the packed packages: sends, approves, cuts and resumes in each. */
import { spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { ROOT } from './root.ts'

/** Frameworks of the examples, which a user installs beside `toolwire`. */
export const HOSTS = [
  'express@5.3.0',
  'fastify@5.12.8',
  'hono@4.13.18',
  '@hono/node-server@2.1.8',
  'koa@3.2.1',
  'bun@1.4.4',
]
/** Everything but Bun runs in this Node. */
const EXAMPLES = ['http', 'express', 'fastify', 'hono', 'koa', 'bun']

interface HostFolder {
  /** With the packages and the frameworks installed. */
  readonly home: string
  readonly env: NodeJS.ProcessEnv
}

export async function tryHosts({ home, env }: HostFolder): Promise<void> {
  cpSync(join(ROOT, 'examples/embed'), home, { recursive: true })
  for (const name of EXAMPLES) {
    const data = join(home, `${name}-data`)
    const program = name === 'bun' ? join(home, 'node_modules/.bin/bun') : process.execPath
    const child = spawn(program, [`${name}.js`], {
      cwd: home,
      env: { ...env, PORT: '0', AGENT_DATA: data },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
    try {
      const port = await firstLine(child.stdout)
      const origin = `http://127.0.0.1:${port}`
      require((await fetch(`${origin}/agent/api/sessions`)).status === 401, 'a stranger is refused')
      await converse(origin, { base: '/agent', page: 'application' })
      console.log(`${name}: sent, approved, cut and resumed`)
    } finally {
      child.kill('SIGKILL')
      await ended
    }
  }
}

async function firstLine(output: Readable): Promise<string> {
  for await (const line of createInterface({ input: output })) return line
  throw new Error('the example ended before it listened')
}

const HEADERS = { 'content-type': 'application/json', 'x-user': 'alice' }

interface Talk {
  /** Path below which the agent answers. */
  readonly base: string
  /** A part of the host's own page. */
  readonly page: string
}

/** Sends a message, reads its stream, leaves it, approves the call, and resumes at the last event that was read. */
export async function converse(origin: string, { base, page }: Talk): Promise<void> {
  const url = origin + base
  const get = async (path: string, headers = {}) =>
    await fetch(url + path, { headers: { ...HEADERS, ...headers } })
  const post = async (path: string, body: object) =>
    await fetch(url + path, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) })
  require((await (await fetch(origin)).text()).includes(page), 'the host serves its own page')
  const { id } = (await (await post('/api/sessions', {})).json()) as { readonly id: string }
  const paused = await (await post('/api/chat/stream', { session_id: id, message: 'refund order 7' })).text()
  require(paused.includes('approval'), `the call waits: ${paused.slice(-300)}`)
  const { pending } = (await (await get('/api/pending')).json()) as {
    readonly pending: readonly { readonly id: string }[]
  }
  // The first reader leaves in the middle; another one continues where it stopped.
  const leaving = new AbortController()
  const first = await fetch(`${url}/api/sessions/${id}/events?follow=true`, {
    headers: HEADERS,
    signal: leaving.signal,
  })
  const reader = first.body?.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (!/^id: [\s\S]*\n\n/m.test(seen)) seen += (await reader?.read())?.value ?? ''
  leaving.abort()
  const cursor = [...seen.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? ''
  const approved = await post(`/api/approvals/${pending[0]?.id}`, { decision: 'approved' })
  require(approved.ok, `the approval is taken: ${approved.status} ${await approved.text()}`)
  for (;;) {
    const { status } = (await (await get(`/api/sessions/${id}`)).json()) as { readonly status: string }
    if (status === 'idle') break
  }
  const rest = await (await get(`/api/sessions/${id}/events`, { 'last-event-id': cursor })).text()
  require(rest.includes('is paid back') && rest.includes('run.completed'), `it resumes: ${rest.slice(-300)}`)
}

function require(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`not so: ${what}`)
}
