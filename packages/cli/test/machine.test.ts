/** The real server and the processes of this machine: what a kill leaves, what a restart finds, what the settings switch on. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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
  while (!(await condition())) await delay(10)
}

const unique = (): string => String(1_000_000 + Math.floor(Math.random() * 8_000_000))
const FREE = ['--port', '0', '--permission-mode', 'bypassPermissions']

async function bash(server: Launched, input: object, wait_ms = 30_000) {
  const response = await fetch(`${server.url}/api/tools/Bash/try`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input, wait_ms }),
  })
  return (await response.json()) as {
    readonly session_id: string
    readonly status: string
    readonly result?: { readonly output_text: string }
  }
}

const logOf = async (server: Launched, session: string): Promise<string> =>
  await (await fetch(`${server.url}/api/sessions/${session}/export`)).text()

test('a command that runs when the server is killed is ended by the next one, and its outcome is unknown', async () => {
  await inFolder(async dir => {
    const mark = unique()
    // In a sandbox it would end with its server.
    const first = await launch(dir, FREE, { TOOLWIRE_SANDBOX: 'off' })
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

test('a background command outlives a kill, and the next server reports its end once', async () => {
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
    // What it was known by goes once its end is in the log.
    await until(() => readdirSync(join(dir, '.toolwire', 'tasks')).length === 0)
    await second.stop()
  })
})

test('memory is off by default, and the settings page shows it', async () => {
  await inFolder(async dir => {
    const names = async (server: Launched) => JSON.stringify(await get(server, '/api/tools'))
    const plain = await launch(dir)
    expect(await names(plain)).not.toContain('MemoryRead')
    expect(await get(plain, '/api/memory')).toEqual({ enabled: false, files: [] })
    await plain.stop()
    const full = await launch(dir, FREE, { TOOLWIRE_MEMORY: 'true' })
    expect(await names(full)).toContain('MemoryRead')
    expect(await get(full, '/api/settings')).toMatchObject({ memory: { enabled: true } })
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

const get = async (server: Launched, path: string): Promise<unknown> =>
  await (await fetch(server.url + path)).json()

/** A search path with a shell and a program of this name that is not the machine's own; without one when undefined. */
function searchPath(dir: string, bwrap: string | undefined): string {
  const bin = join(dir, 'bin')
  mkdirSync(bin)
  symlinkSync(realpathSync('/bin/bash'), join(bin, 'bash'))
  if (bwrap !== undefined) {
    writeFileSync(join(bin, 'bwrap'), `#!/bin/bash\n${bwrap}\n`)
    chmodSync(join(bin, 'bwrap'), 0o755)
  }
  return bin
}

/** Notes what it is asked to run, and beside that the walls that it is asked for, and runs it, without any wall. */
const standIn = (notes: string): string =>
  `echo "$*" >> ${notes}-walls\nwhile [ "$1" != -- ]; do shift; done; shift\necho "$1" >> ${notes}\n[ "$1" = true ] && exit\nexec "$@"`

test('commands run in the sandbox that the machine has, though nothing was set, and it is tried once, by the first of them', async () => {
  await inFolder(async dir => {
    const notes = join(dir, 'notes')
    const server = await launch(dir, FREE, { PATH: searchPath(dir, standIn(notes)) })
    expect(existsSync(notes)).toBe(false)
    for (const word of ['one', 'two'])
      expect(
        await logOf(server, (await bash(server, { command: `echo ${word} > made` })).session_id),
      ).toMatch(/"sandboxed":true/)
    const ran = readFileSync(notes, 'utf8').trim().split('\n')
    expect(ran.filter(program => program === 'true')).toHaveLength(1)
    expect(ran).toHaveLength(3)
    // What the server keeps, its keys with it, is nothing that commands see.
    const walls = readFileSync(`${notes}-walls`, 'utf8')
      .split('\n')
      .findLast(line => line.startsWith('--'))
    expect(walls).toContain(`--tmpfs ${join(realpathSync(dir), '.toolwire')} `)
    expect(walls).toMatch(/^--ro-bind \/ \/ .*--unshare-net /)
    expect(await get(server, '/api/settings')).toMatchObject({
      sandbox: { enabled: true, available: true, network: false, required: false },
    })
    await server.stop()
  })
})

test.for([
  ['is not installed', undefined, 'is not installed'],
  ['does not work here', 'echo "No permissions to create new namespace" >&2; exit 1', 'No permissions'],
] as const)(
  'where bubblewrap %s commands run without a sandbox, ask before they write, and the settings page explains why',
  async ([, bwrap, why]) => {
    await inFolder(async dir => {
      const PATH = searchPath(dir, bwrap)
      const free = await launch(dir, FREE, { PATH })
      const { session_id } = await bash(free, { command: 'echo made > made' })
      expect(await logOf(free, session_id)).toMatch(/"type":"tool.completed"/)
      expect(await logOf(free, session_id)).not.toContain('"sandboxed":true')
      expect(await get(free, '/api/settings')).toMatchObject({
        sandbox: { enabled: true, available: false, reason: expect.stringContaining(why) },
      })
      await free.stop()
      const asking = await launch(dir, ['--port', '0'], { PATH })
      const asked = await bash(asking, { command: 'echo made > again' })
      expect(asked.status).toBe('pending')
      expect(await logOf(asking, asked.session_id)).toContain('tool.approval_requested')
      await asking.stop()
    })
  },
)

test('the sandbox can be switched off, and then is not used though it is there', async () => {
  await inFolder(async dir => {
    const notes = join(dir, 'notes')
    const env = { PATH: searchPath(dir, standIn(notes)), TOOLWIRE_SANDBOX: 'off' }
    const server = await launch(dir, FREE, env)
    await bash(server, { command: 'echo one' })
    expect(existsSync(notes)).toBe(false)
    expect(await get(server, '/api/settings')).toMatchObject({
      sandbox: { enabled: false, reason: expect.stringContaining('switched off') },
    })
    await server.stop()
  })
})

test('a command leaves the sandbox only when it asks, and then it is asked about', async () => {
  await inFolder(async dir => {
    const notes = join(dir, 'notes')
    const PATH = searchPath(dir, standIn(notes))
    const asking = await launch(dir, ['--port', '0'], { PATH })
    // It is read-only: inside, it would need no question.
    const wish = { command: 'echo one', dangerouslyDisableSandbox: true }
    const { session_id, status } = await bash(asking, wish)
    expect(status).toBe('pending')
    expect(await logOf(asking, session_id)).toMatch(/tool\.approval_requested.*\(outside the sandbox\)/)
    const inside = await bash(asking, { command: 'echo one' })
    expect(await logOf(asking, inside.session_id)).toMatch(/"sandboxed":true/)
    expect(readFileSync(notes, 'utf8')).toBe('true\nbash\n')
    await asking.stop()
    const strict = await launch(dir, FREE, { PATH, TOOLWIRE_SANDBOX: 'required' })
    expect(await logOf(strict, (await bash(strict, wish)).session_id)).toContain('"sandboxed":true')
    await strict.stop()
  })
})

test('the settings of calls reach them: how much of an output is read, and what a command leaves is ended', async () => {
  await inFolder(async dir => {
    writeFileSync(
      join(dir, 'toolwire.config.json'),
      JSON.stringify({ calls: { outputChars: 4000, reap: true, parallel: 2 }, sandbox: 'off' }),
    )
    const server = await launch(dir, FREE)
    const output = (await bash(server, { command: 'seq 1 5000' })).result?.output_text ?? ''
    expect(output).toMatch(/^\[Output cut: /)
    expect(output.length).toBeLessThan(5_000)
    const mark = unique()
    await bash(server, { command: `sleep ${mark} >/dev/null 2>&1 & echo done` })
    expect(running(`sleep\0${mark}`)).toEqual([])
    await server.stop()
  })
})
