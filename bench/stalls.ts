/** The longest turn of the server's event loop while it handles inputs of strangers, and while it exports their sessions. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Model } from '@toolwire/core'
import { startFakeUpstream } from '@toolwire/demo'
import { type HostileInput, partsOf } from './hostile-inputs.ts'
import type { Subject } from './spawn-subject.ts'
import { PROBE_FILE, PROBE_SIGNAL } from './stall-probe.ts'
import { behind, startToolwire } from './start-toolwire.ts'

export interface Stall {
  readonly name: string
  /** CPU ms of the longest turn during the request, until its run has ended. */
  readonly request_ms: number
  /** The same during the export of its session; absent without a session. */
  readonly export_ms?: number
  readonly status: number
}

const PROBE = fileURLToPath(new URL('./stall-probe.ts', import.meta.url))
const ECHO = `
export const tool = ({ defineTool, z }) => defineTool({
  name: 'Echo', description: 'Takes it in.', input: z.looseObject({ content: z.string() }),
  isReadOnly: () => true,
  async *call() { yield { type: 'result', output_text: 'taken' } },
})
`
const JSON_TYPE = { 'content-type': 'application/json' }

/** Starts one server per input and warms it up with an ordinary message. */
export async function stalls(
  command: readonly string[],
  inputs: readonly HostileInput[],
): Promise<readonly Stall[]> {
  const results: Stall[] = []
  for (const input of inputs) results.push(await measure(command, input))
  return results
}

async function measure(command: readonly string[], input: HostileInput): Promise<Stall> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-stalls-'))
  const file = join(folder, 'turns')
  let isWarm = false
  const upstream = await startFakeUpstream({ model: modelFor(input, () => isWarm) })
  const { flags = [], env = {} } = behind(upstream.url)
  const subject = await startToolwire({
    command: ['--import', PROBE, ...command],
    flags: [...flags, '--permission-mode', 'bypassPermissions', '--workspace', 'work'],
    env: { ...env, [PROBE_FILE]: file },
    files: {
      ...inWorkspace(input.files),
      'tools/echo.js': ECHO,
      'toolwire.config.json': JSON.stringify({ tools: ['./tools'], ...input.config }),
    },
  })
  try {
    const longestTurn = createProbe(subject.pid, file)
    await send(subject, { name: 'warm', message: 'hello' })
    isWarm = true
    await longestTurn()
    const { status, session } = await send(subject, input)
    const request_ms = await longestTurn()
    if (session === undefined) return { name: input.name, request_ms, status }
    await (await fetch(`${subject.url}/api/sessions/${session}/export`)).arrayBuffer()
    return { name: input.name, request_ms, export_ms: await longestTurn(), status }
  } finally {
    await subject.stop()
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const inWorkspace = (files: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  'work/README.md': '',
  ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`work/${name}`, text])),
})

/** Says a word until the server is warm, then what the input wants. */
function modelFor(input: HostileInput, isWarm: () => boolean): Model {
  return {
    provider: 'anthropic',
    id: 'claude-bench',
    async *stream({ messages }) {
      const hasResults = messages.some(({ role }) => role === 'tool')
      yield* partsOf(isWarm() ? input : { name: 'warm' }, hasResults)
    },
  }
}

/** Sends the input, waits for the end of its run, and returns the session that it made. */
async function send(
  { url }: Subject,
  { message = 'go', post }: HostileInput,
): Promise<{ readonly status: number; readonly session?: string }> {
  if (post) {
    const reply = await fetch(url + post.path, { method: 'POST', headers: JSON_TYPE, body: post.body })
    await reply.arrayBuffer()
    const session = reply.headers.get('x-session-id')
    return session === null ? { status: reply.status } : { status: reply.status, session }
  }
  const made = await fetch(`${url}/api/sessions`, { method: 'POST', headers: JSON_TYPE, body: '{}' })
  const { id } = (await made.json()) as { id: string }
  const body = JSON.stringify({ session_id: id, message })
  const reply = await fetch(`${url}/api/chat/stream`, { method: 'POST', headers: JSON_TYPE, body })
  await reply.arrayBuffer()
  return { status: reply.status, session: id }
}

function createProbe(pid: number, file: string): () => Promise<number> {
  let read = 0
  return async () => {
    process.kill(pid, PROBE_SIGNAL)
    for (;;) {
      const turns = readTurns(file)
      const turn = turns[read]
      if (turn !== undefined) {
        read += 1
        return turn
      }
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
}

function readTurns(file: string): readonly number[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number)
  } catch {
    return []
  }
}
