/** The real server and the processes of this machine: what a kill leaves, what a restart finds, what the settings switch on. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inFolder, type Launched, launch } from './launch.ts'

/** Processes with these words on their command line, the dead excluded. */
function running(words: string): readonly string[] {
  return readdirSync('/proc').filter(pid => {
    try {
      if (!/^\d+$/.test(pid) || readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) return false
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(words)
    } catch {
      return false
    }
  })
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    if (await condition()) return
    await delay(10)
  }
  throw new Error('never happened')
}

const unique = (): string => String(1_000_000 + Math.floor(Math.random() * 8_000_000))
const FREE = ['--port', '0', '--permission-mode', 'bypassPermissions']

async function bash(server: Launched, input: object, wait_ms = 30_000) {
  const response = await fetch(`${server.url}/api/tools/Bash/try`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input, wait_ms }),
  })
  return (await response.json()) as { readonly session_id: string; readonly status: string }
}

const logOf = async (server: Launched, session: string): Promise<string> =>
  await (await fetch(`${server.url}/api/sessions/${session}/export`)).text()

test('a command that runs when the server is killed is ended by the next one, and its outcome is unknown', async () => {
  await inFolder(async dir => {
    const mark = unique()
    const first = await launch(dir, FREE)
    const { session_id } = await bash(
      first,
      { command: `touch made; setsid sleep ${mark} & sleep ${mark}` },
      0,
    )
    await until(() => running(`sleep\0${mark}`).length === 2)
    await first.stop('SIGKILL')
    expect(running(`sleep\0${mark}`)).toHaveLength(2)
    const second = await launch(dir, FREE)
    await until(async () => (await logOf(second, session_id)).includes('unknown_outcome'))
    expect(running(`sleep\0${mark}`)).toEqual([])
    await second.stop()
  })
})

test('a server that is asked to stop leaves no command behind', async () => {
  await inFolder(async dir => {
    const mark = unique()
    const server = await launch(dir, FREE)
    await bash(server, { command: `touch made; setsid sleep ${mark} & sleep ${mark}` }, 0)
    await until(() => running(`sleep\0${mark}`).length === 2)
    await server.stop()
    expect(running(`sleep\0${mark}`)).toEqual([])
  })
})

test('a background command outlives a kill, and its end is told by the next server, once', async () => {
  await inFolder(async dir => {
    const mark = unique()
    const first = await launch(dir, FREE)
    const { session_id } = await bash(first, {
      command: `sleep ${mark}; exit 6`,
      run_in_background: true,
    })
    await until(() => running(`sleep\0${mark}`).length === 1)
    await first.stop('SIGKILL')
    const second = await launch(dir, FREE)
    const [pid] = running(`sleep\0${mark}`)
    process.kill(Number(pid), 'SIGTERM')
    await until(async () => (await logOf(second, session_id)).includes('"ended"'))
    const log = await logOf(second, session_id)
    expect(log.match(/"ended":\{[^}]*"code":6/g)).toHaveLength(1)
    expect(readdirSync(join(dir, '.toolwire', 'tasks'))).toEqual([])
    await second.stop()
  })
})

test('memory and sandbox are off until the settings say otherwise, and the settings page tells', async () => {
  await inFolder(async dir => {
    const get = async (server: Launched, path: string) => await (await fetch(server.url + path)).json()
    const names = async (server: Launched) => JSON.stringify(await get(server, '/api/tools'))
    const plain = await launch(dir)
    expect(await names(plain)).not.toContain('MemoryRead')
    expect(await get(plain, '/api/memory')).toEqual({ enabled: false, files: [] })
    expect(await get(plain, '/api/settings')).toMatchObject({ sandbox: { enabled: false } })
    await plain.stop()
    const full = await launch(dir, FREE, { TOOLWIRE_MEMORY: 'true', TOOLWIRE_SANDBOX: 'on' })
    expect(await names(full)).toContain('MemoryRead')
    expect(await get(full, '/api/settings')).toMatchObject({
      memory: { enabled: true },
      sandbox: { enabled: true, network: false },
    })
    await fetch(`${full.url}/api/tools/MemoryWrite/try`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: { file_path: 'user/a.md', content: 'text' } }),
    })
    expect(await get(full, '/api/memory')).toMatchObject({ files: [{ path: 'user/a.md', bytes: 4 }] })
    expect((await fetch(`${full.url}/api/memory/user/a.md`, { method: 'DELETE' })).status).toBe(204)
    expect(await get(full, '/api/memory')).toMatchObject({ files: [] })
    await full.stop()
  })
})
