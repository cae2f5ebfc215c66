/**
 * What becomes of calls when their server is killed: each kind of tool once, all in mid-call, then a call that was
 * chosen and not begun, and one that a message announced which never ended.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EventOf, Model, ModelPart, ModelRequest, Rec } from '@toolwire/core'
import { startFakeUpstream } from '@toolwire/demo'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Launched } from '../launch.ts'
import { checkLog } from './check-log.ts'
import { type Fleet, isOwnedBy, newSession, openFleet, readLog, rowOf, say, until } from './fleet.ts'

// Servers start slowly on a busy machine.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 })

let fleet: Fleet
beforeEach(async () => {
  fleet = await openFleet()
})
afterEach(() => fleet.close())

const file = (name: string): string => join(fleet.workspace, name)

interface Begun {
  readonly tool: string
  readonly session: string
  readonly key: string
  readonly attempt: number
}

/** Every time that a tool began, first one first. */
function begun(session: string): readonly Begun[] {
  try {
    const lines = readFileSync(file('begun'), 'utf8').trim().split('\n')
    return lines.map(line => JSON.parse(line) as Begun).filter(one => one.session === session)
  } catch {
    return []
  }
}

/** What each tool says of itself beside its name. */
const KINDS = {
  weigh_parcel: 'isReadOnly: () => true',
  label_parcel: 'isIdempotent: () => true',
  ship_parcel: '',
  insure_parcel: `recover: async () => ({ type: 'done', output_text: 'found insured' })`,
  wrap_parcel: `recover: async () => ({ type: 'not_done' })`,
} as const
type Name = keyof typeof KINDS
const NAMES = Object.keys(KINDS) as Name[]

/** Tools that leave a line when they begin, and end when a file appears. */
function writeTools(): Record<string, string> {
  const tools = Object.entries(KINDS).map(([name, more]) =>
    `defineTool({
  name: '${name}', description: '${name.replace('_', ' ')}', input: z.strictObject({}), isReadOnly: () => false, ${more},
  async *call(_, { session_id, idempotency_key, attempt }) {
    const line = { tool: '${name}', session: session_id, key: idempotency_key, attempt }
    appendFileSync(${JSON.stringify(file('begun'))}, JSON.stringify(line) + '\\n')
    while (!existsSync(${JSON.stringify(file('go'))})) await new Promise(resolve => setTimeout(resolve, 20))
    yield { type: 'result', output_text: 'worked to the end' }
  },
})`.replace(', ,', ','),
  )
  writeFileSync(
    file('parcels.js'),
    `import { appendFileSync, existsSync } from 'node:fs'
export const tools = ({ defineTool, z }) => [${tools.join(', ')}]`,
  )
  return { TOOLWIRE_TOOLS: file('parcels.js') }
}

/** A session whose call of `tool` runs on `node` at this moment; another server that looked first may have taken others. */
async function startCall(node: Launched, tool: Name): Promise<string> {
  for (;;) {
    const session = await newSession(node, { tools: [tool] })
    say(node, session, `${tool.replace('_', ' the ')}`)
    await until(() => begun(session).length === 1)
    if (isOwnedBy(await rowOf(fleet, session), node)) return session
  }
}

async function ended(session: string): Promise<readonly Rec[]> {
  await until(async () => (await readLog(fleet, session)).at(-1)?.ev.type === 'run.completed')
  const log = await readLog(fleet, session)
  expect(checkLog(session, log)).toEqual([])
  return log
}

type End = EventOf<'tool.completed'> | EventOf<'tool.failed'>
const endsOf = (log: readonly Rec[]): readonly End[] =>
  log.map(rec => rec.ev).filter(ev => ev.type === 'tool.completed' || ev.type === 'tool.failed')
const countOf = (log: readonly Rec[], type: string): number => log.filter(rec => rec.ev.type === type).length

test('kill -9 while calls run: read-only and idempotent ones are repeated, writes are not, and a tool may know the outcome of its own', async () => {
  const env = writeTools()
  const [first, second] = await Promise.all([fleet.start(env), fleet.start(env)])
  const sessions = new Map<Name, string>()
  for (const name of NAMES) sessions.set(name, await startCall(first, name))
  const of = (name: Name): string => sessions.get(name) ?? ''
  await first.stop('SIGKILL')
  const again: readonly Name[] = ['weigh_parcel', 'label_parcel', 'wrap_parcel']
  await until(() => again.every(name => begun(of(name)).length === 2))
  writeFileSync(file('go'), '')
  for (const name of NAMES) {
    const [end, ...others] = endsOf(await ended(of(name)))
    expect(others).toEqual([])
    const times = begun(of(name))
    expect(times).toHaveLength(again.includes(name) ? 2 : 1)
    expect(new Set(times.map(one => one.key)).size).toBe(1)
    expect(times.map(one => one.attempt)).toEqual(times.map((_, i) => (times[0]?.attempt ?? 0) + i))
    if (name === 'ship_parcel')
      expect(end).toMatchObject({ type: 'tool.failed', error: { code: 'unknown_outcome' } })
    else
      expect(end).toMatchObject({
        type: 'tool.completed',
        output_text: name === 'insure_parcel' ? 'found insured' : 'worked to the end',
      })
  }
  const keys = NAMES.map(name => begun(of(name))[0]?.key)
  expect(new Set(keys).size).toBe(NAMES.length)
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
})

/** Holds every append of `tool.started` back until it is taken away. */
const HOLD = `
create function public.hold() returns trigger language plpgsql as $$ begin
  if position('"tool.started"'::bytea in new.data) > 0 then perform pg_sleep(600); end if;
  return new;
end $$;
create trigger hold before insert on toolwire.chunk for each row execute function public.hold()`
const HELD = `from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`

test('kill -9 when a call was chosen and the note that it begins not yet stored: it is made once, by the next owner', async () => {
  const env = writeTools()
  writeFileSync(file('go'), '')
  const first = await fleet.start(env)
  await fleet.database.query(HOLD)
  const session = await newSession(first, { tools: ['ship_parcel'] })
  say(first, session, 'ship the parcel')
  await until(async () => (await fleet.database.query(`select pid ${HELD}`)).length === 1)
  expect(begun(session)).toEqual([])
  await first.stop('SIGKILL')
  // The statement would continue without its server, and store the note after all.
  await fleet.database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'toolwire'",
  )
  await fleet.database.query('drop trigger hold on toolwire.chunk')
  await fleet.start(env)
  const log = await ended(session)
  expect(begun(session)).toHaveLength(1)
  expect(countOf(log, 'tool.started')).toBe(1)
  expect(endsOf(log)).toMatchObject([{ type: 'tool.completed', output_text: 'worked to the end' }])
})

const USAGE = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
const CALLS: readonly ModelPart[] = [
  { type: 'start', provider_message_id: 'msg_half', model: 'half', usage: USAGE },
  { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: 'toolu_half', name: 'ship_parcel' } },
  { type: 'block-delta', index: 0, input_text: '{}' },
  { type: 'block-end', index: 0 },
  { type: 'block-start', index: 1, kind: 'text' },
  { type: 'block-delta', index: 1, text: 'and then' },
]
const SPEAKS: readonly ModelPart[] = [
  { type: 'start', provider_message_id: 'msg_whole', model: 'half', usage: USAGE },
  { type: 'block-start', index: 0, kind: 'text' },
  { type: 'block-delta', index: 0, text: 'It stays here.' },
  { type: 'block-end', index: 0 },
  { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage: USAGE },
]

/** Announces a whole call and then says nothing more; asked again, it speaks. */
function halfModel(): Model {
  let asked = 0
  return {
    provider: 'half',
    id: 'half',
    async *stream(_: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
      asked += 1
      yield* asked === 1 ? CALLS : SPEAKS
      if (asked === 1) await new Promise(resolve => signal.addEventListener('abort', resolve))
    },
  }
}

test('kill -9 after a whole call of an unfinished message: the call is never made, and the model is called again', async () => {
  const upstream = await startFakeUpstream({ model: halfModel() })
  try {
    const env = {
      ...writeTools(),
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
      ANTHROPIC_BASE_URL: upstream.url,
    }
    writeFileSync(file('go'), '')
    const first = await fleet.start(env)
    const session = await newSession(first, { tools: ['ship_parcel'], model: 'claude-sonnet-4-5' })
    say(first, session, 'ship the parcel')
    await until(async () => JSON.stringify(await readLog(fleet, session)).includes('and then'))
    await first.stop('SIGKILL')
    await fleet.start(env)
    const log = await ended(session)
    expect(begun(session)).toEqual([])
    expect(countOf(log, 'tool.started')).toBe(0)
    expect(countOf(log, 'message.aborted')).toBe(1)
    expect(upstream.requests).toHaveLength(2)
    // Aborted text is not sent to the model.
    expect(JSON.stringify(upstream.requests[1]?.body)).not.toContain('toolu_half')
  } finally {
    await upstream.close()
  }
})
