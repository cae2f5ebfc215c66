/** Faults of the machine around one real server: a disk with a limit, no descriptors left, a clock that jumps. */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import { openSqliteStore } from '@toolwire/store'
import { expect, test, vi } from 'vitest'
import { checkLog } from '../cluster/check-log.ts'
import { inFolder, launch, run } from '../launch.ts'
import { startLimited } from './start-limited.ts'

vi.setConfig({ testTimeout: 240_000 })

async function post(url: string, body: object): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

const newSession = async (url: string): Promise<string> =>
  (JSON.parse((await post(`${url}/api/sessions`, {})).text) as { readonly id: string }).id

const say = (url: string, session_id: string, message: string) =>
  post(`${url}/api/chat/stream`, { session_id, message })

/** Heads of all logs, each of them checked. */
async function checkData(dir: string): Promise<ReadonlyMap<string, number>> {
  const store = await openSqliteStore({ dir })
  try {
    const heads = new Map<string, number>()
    for (const row of (await store.list({ limit: 1000 })).items) {
      const log = await store.read(row.id, 0, 1_000_000)
      expect(checkLog(row.id, log)).toEqual([])
      heads.set(row.id, log.length)
    }
    return heads
  } finally {
    await store.close()
  }
}

/** The last seq that a stream showed. */
const seqOf = (text: string): number => Number(/\.(\d+)\.\d+\n[^\n]*\n*$/.exec(text.trimEnd())?.[1] ?? 0)

/** Returns the answer, or the rejection of a new session: an answer that cannot be stored waits for space for ever. */
async function sayUnlessFull(url: string, session_id: string, message: string) {
  let isAnswered = false
  const answer = say(url, session_id, message).finally(() => {
    isAnswered = true
  })
  const rejection = (async () => {
    while (!isAnswered) {
      const created = await post(`${url}/api/sessions`, {})
      if (created.status !== 201) return created
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    return await answer
  })()
  // Fails when the server is killed.
  answer.catch(() => undefined)
  return await Promise.race([answer, rejection])
}

test('files that may not grow any more: new work is refused by name, nothing is lost, and the next start works', async () => {
  await inFolder(async dir => {
    const full = await startLimited(dir, 'ulimit -f 3000')
    const acked = new Map<string, number>()
    let refused: { readonly status: number; readonly text: string } | undefined
    const filler = 'x'.repeat(200_000)
    for (let i = 0; i < 60 && !refused; i++) {
      const created = await post(`${full.url}/api/sessions`, {})
      if (created.status !== 201) {
        refused = created
        break
      }
      const { id } = JSON.parse(created.text) as { readonly id: string }
      const answer = await sayUnlessFull(full.url, id, `hello ${filler}`)
      if (answer.status !== 200) refused = answer
      else if (answer.text.includes('"type":"done"')) acked.set(id, seqOf(answer.text))
    }
    expect(refused?.status).toBeGreaterThanOrEqual(500)
    expect(refused?.text).toMatch(/storage_full|storage_error/)
    expect(full.isAlive()).toBe(true)
    expect((await fetch(`${full.url}/api/sessions`)).status).toBe(200)
    await full.kill()

    const free = await launch(dir, ['--port', '0', '--data', join(dir, 'data')])
    const session = await newSession(free.url)
    expect((await say(free.url, session, 'hello')).text).toContain('"type":"done"')
    await vi.waitFor(async () => {
      const { sessions } = JSON.parse(await (await fetch(`${free.url}/api/sessions`)).text()) as {
        readonly sessions?: readonly { readonly status: string }[]
      }
      expect(sessions?.some(one => one.status === 'running') ?? false).toBe(false)
    }, 60_000)
    await free.stop()
    const heads = await checkData(join(dir, 'data'))
    expect(acked.size).toBeGreaterThan(0)
    for (const [id, seq] of acked) expect(heads.get(id) ?? 0).toBeGreaterThanOrEqual(seq)
  })
})

test('an unwritable data folder is reported in a sentence, and nothing else happens', async () => {
  await inFolder(async dir => {
    writeFileSync(join(dir, 'file'), '')
    for (const data of [join(dir, 'file'), join(dir, 'file', 'data'), '/sys/toolwire-data', '/proc/x/y']) {
      const { code, stderr } = await run(['--port', '0', '--data', data], dir)
      expect(code).toBe(4)
      expect(stderr).toContain(data)
      expect(stderr).toContain('--data')
      expect(stderr).not.toMatch(/\n\s+at /)
    }
  })
})

/** A superuser may also write read-only files: that right is dropped. */
const OBEYS = process.getuid?.() === 0 ? 'set -- setpriv --bounding-set=-dac_override "$@"' : ':'

test('read-only data is reported in a sentence, and stays as it is', async () => {
  await inFolder(async dir => {
    const data = join(dir, 'data')
    const server = await launch(dir, ['--port', '0', '--data', data])
    const session = await newSession(server.url)
    await say(server.url, session, 'hello')
    await server.stop()
    const contents = (): unknown =>
      readdirSync(data)
        .filter(name => statSync(join(data, name)).isFile())
        .map(name => [name, readFileSync(join(data, name)).toString('base64')])
    const before = contents()
    const protect = (mode: { readonly folder: number; readonly file: number }): void => {
      for (const name of readdirSync(data))
        if (statSync(join(data, name)).isFile()) chmodSync(join(data, name), mode.file)
      chmodSync(data, mode.folder)
    }
    protect({ folder: 0o555, file: 0o444 })
    const refused = await startLimited(dir, OBEYS).then(
      async one => await one.kill(),
      (error: unknown) => String(error),
    )
    expect(refused).toMatch(
      /ended early with 4: toolwire: The data folder \S+ cannot be used; [^\n]*--data[^\n]*\n$/,
    )
    expect(contents()).toEqual(before)
    protect({ folder: 0o755, file: 0o644 })
    const again = await startLimited(dir, OBEYS)
    expect((await say(again.url, session, 'and now?')).text).toContain('"type":"done"')
    await again.kill('SIGTERM')
  })
})

const connect = (port: number): Promise<Socket> =>
  new Promise(resolve => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.on('connect', () => resolve(socket)).on('error', () => resolve(socket))
  })

test('a server without descriptors continues when some are free again, and has lost nothing', async () => {
  await inFolder(async dir => {
    const server = await startLimited(dir, 'ulimit -n 80', { TOOLWIRE_DEMO_PACE_MS: '10' })
    const { port } = new URL(server.url)
    const session = await newSession(server.url)
    const before = await say(server.url, session, 'hello')
    expect(before.text).toContain('"type":"done"')
    // One response streams while none are left.
    const busy = await newSession(server.url)
    const streaming = say(server.url, busy, '/long 300')
    const sockets = await Promise.all(Array.from({ length: 120 }, () => connect(Number(port))))
    await vi.waitFor(
      () => expect(sockets.some(socket => socket.readableEnded || socket.destroyed)).toBe(true),
      60_000,
    )
    const during = await streaming
    for (const socket of sockets) socket.destroy()
    expect(during.text.match(/"type":"done"/g)).toHaveLength(1)
    await vi.waitFor(async () => {
      const after = await say(server.url, session, 'and now?')
      expect(after.text).toContain('"type":"done"')
    }, 60_000)
    expect(server.isAlive()).toBe(true)
    await server.kill('SIGTERM')
    const heads = await checkData(join(dir, 'data'))
    expect(heads.get(session)).toBeGreaterThan(seqOf(before.text))
    expect(heads.get(busy)).toBeGreaterThanOrEqual(seqOf(during.text))
  })
})

const DAY = 86_400_000

/** Whether something has been said in all of them. */
async function isTalking(url: string, sessions: readonly string[]): Promise<boolean> {
  const heads = await Promise.all(
    sessions.map(async id => {
      const { headers, body } = await fetch(`${url}/api/sessions/${id}/events`)
      await body?.cancel()
      return headers.get('x-session-head')
    }),
  )
  return heads.every(head => Number(head) > 8)
}

/** Milliseconds between the earliest and the latest time in a log. */
async function spanOf(dir: string, session: string): Promise<number> {
  const store = await openSqliteStore({ dir })
  const times = (await store.read(session, 0, 1_000_000)).map(({ ev }) => Date.parse(ev.ts))
  await store.close()
  return Math.max(...times) - Math.min(...times)
}

test.for([
  ['a day ahead', DAY],
  ['a day back', -DAY],
] as const)('a clock that jumps %s in mid-session leaves order, leases and answers alone', async ([, ms]) => {
  await inFolder(async dir => {
    const jump = join(dir, 'jump.mjs')
    const now = join(dir, 'now')
    // In every thread, from the moment on that there is such a file.
    writeFileSync(
      jump,
      `import { existsSync } from 'node:fs'
       const Real = Date; let looked = 0; let by = 0
       const jumped = () => {
         if (by === 0 && performance.now() - looked > 20) {
           looked = performance.now()
           if (existsSync(${JSON.stringify(now)})) by = ${ms}
         }
         return Real.now() + by
       }
       globalThis.Date = class extends Real {
         constructor(...given) { given.length === 0 ? super(jumped()) : super(...given) }
         static now() { return jumped() }
       }`,
    )
    const server = await launch(dir, ['--port', '0', '--data', join(dir, 'data')], {
      NODE_OPTIONS: `--import=${jump}`,
      TOOLWIRE_DEMO_PACE_MS: '10',
    })
    const sessions = await Promise.all([newSession(server.url), newSession(server.url)])
    for (let i = 0; i < 2; i++) {
      const answers = sessions.map(id => say(server.url, id, '/long 100'))
      if (i === 0) {
        await vi.waitFor(async () => expect(await isTalking(server.url, sessions)).toBe(true), 60_000)
        writeFileSync(now, '')
      }
      for (const answer of await Promise.all(answers))
        expect(answer.text.match(/"type":"done"/g)).toHaveLength(1)
    }
    await server.stop()
    const heads = await checkData(join(dir, 'data'))
    expect([...heads.keys()].toSorted()).toEqual(sessions.toSorted())
    // It did jump, and in the middle of their logs.
    for (const id of sessions) expect(await spanOf(join(dir, 'data'), id)).toBeGreaterThan(DAY / 2)
  })
})
