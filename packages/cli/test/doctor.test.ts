/** `toolwire doctor` on machines in several states of health. */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openPostgresStore, openSqliteStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../store/test/postgres/test-database.ts'
import type { Config } from '../src/config.ts'
import { examineLog } from '../src/doctor/examine-log.ts'
import { examineMcp } from '../src/doctor/examine-mcp.ts'
import { examineClock, examineProxy, judgeDescriptors } from '../src/doctor/examine-surroundings.ts'
import type { Finding } from '../src/doctor/finding.ts'
import { inFolder, launch, run } from './launch.ts'

test('a machine that is fit gets one line per check and no failure', async () => {
  await inFolder(async dir => {
    const { code, stdout, stderr } = await run(['doctor', '--port', '0'], dir)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trim().split('\n')
    expect(lines.length).toBeGreaterThanOrEqual(10)
    for (const line of lines) expect(line).toMatch(/^(ok|note) /)
    expect(stdout).toContain('Node 24')
    expect(stdout).toContain('the demo model answers')
    expect(stdout).toContain('ripgrep')
    for (const part of ['no log yet', 'MCP servers', 'clock', 'may be open', 'no proxy'])
      expect(lines.filter(line => line.includes(part))).toHaveLength(1)
  })
})

test('a taken port, an unusable folder and an absent engine are said, with what to do', async () => {
  await inFolder(async dir => {
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' && address ? String(address.port) : ''
    const args = ['--port', port, '--data', '/proc/none', '--engine', 'claude-agent-sdk', '--json']
    const { code, stdout, stderr } = await run(['doctor', ...args], dir, { ANTHROPIC_API_KEY: 'secret-key' })
    taken.close()
    expect(code).toBe(6)
    expect(stderr).toMatch(/^toolwire: \d of \d+ checks say that a start would fail\.\n$/)
    const bad = JSON.parse(stdout).filter((finding: { state: string }) => finding.state === 'bad')
    expect(bad.map((finding: { what: string }) => finding.what)).toEqual([
      expect.stringContaining('/proc/none is not writable'),
      expect.stringContaining('EADDRINUSE'),
      expect.stringMatching(/claude-agent-sdk/),
    ])
    for (const finding of bad) expect(finding.mend).not.toBe('')
    expect(stdout).not.toContain('secret-key')
  })
})

test.for([
  ['auto', 'echo broken >&2; exit 1', 'note no sandbox for commands: bubblewrap'],
  ['required', 'exit 1', 'note commands are refused: they need a sandbox'],
  ['off', 'exit 0', 'note commands run without a sandbox'],
  ['auto', 'exit 0', 'ok   commands run in a sandbox'],
] as const)(
  'the sandbox of commands is reported: set to %s, with a bubblewrap that does %j',
  async ([setting, does, says]) => {
    await inFolder(async dir => {
      writeFileSync(join(dir, 'bwrap'), `#!/bin/sh\n${does}\n`, { mode: 0o755 })
      const env = { PATH: `${dir}:${process.env['PATH'] ?? ''}`, TOOLWIRE_SANDBOX: setting }
      const { code, stdout } = await run(['doctor', '--port', '0'], dir, env)
      expect(code).toBe(0)
      expect(stdout.split('\n').filter(line => line.startsWith(says))).toHaveLength(1)
    })
  },
)

const configOf = (config: Partial<Config>): Config => config as Config

test('the database that is named is asked: whether a start would work with it', async () => {
  const database = await createTestDatabase()
  try {
    const ask = (url = database.url) => examineLog({ config: configOf({ database: url }) })
    expect(await ask()).toEqual({
      state: 'good',
      what: expect.stringMatching(/^PostgreSQL [\d.]+ at .*, empty: the first start makes its schema$/),
    })
    // It looked, and made nothing.
    expect(await database.query("select to_regnamespace('toolwire') as made")).toEqual([{ made: null }])
    await (await openPostgresStore({ url: database.url })).close()
    expect((await ask()).what).toMatch(/, schema version \d+, sessions: 0$/)
    await database.query('update toolwire.meta set version = 1')
    expect((await ask()).what).toMatch(/schema version 1 \(the next start brings it to \d+\), sessions: 0$/)
    await database.query('update toolwire.meta set version = 1000, works_with = 1000')
    expect(await ask()).toMatchObject({ state: 'bad', mend: 'use the newer program' })
    const name = new URL(database.url).pathname.slice(1)
    await database.query(`alter database ${name} set default_transaction_read_only = on`)
    expect(await ask()).toMatchObject({ state: 'bad', what: expect.stringContaining('takes no writes') })
  } finally {
    await database.drop()
  }
})

test('an unreachable database prevents a start, and its password is not shown', async () => {
  await inFolder(async dir => {
    const url = 'postgres://somebody:hidden-word@127.0.0.1:1/none'
    const { code, stdout } = await run(['doctor', '--port', '0'], dir, { DATABASE_URL: url })
    expect(code).toBe(6)
    expect(stdout).toMatch(/^BAD {2}The database cannot be used.*: check DATABASE_URL$/m)
    expect(stdout).not.toContain('hidden-word')
  })
})

test('the log of the data folder is looked at: none yet, ours, a later one, no database', async () => {
  await inFolder(async dir => {
    const ask = () => examineLog({ config: configOf({ data: dir }) })
    expect(await ask()).toEqual({ state: 'good', what: 'no log yet: the first start makes it' })
    const store = await openSqliteStore({ dir })
    await store.append([{ session: 's', create: true, events: [] }])
    await store.close()
    const before = readdirSync(dir)
    expect((await ask()).what).toMatch(/^log in the data folder, schema version \d+, sessions: 1$/)
    expect(readdirSync(dir)).toEqual(before)
    const file = join(dir, 'toolwire.db')
    const db = new DatabaseSync(file)
    db.exec('pragma user_version = 1000')
    db.close()
    expect(await ask()).toMatchObject({ state: 'bad', mend: 'use the newer program' })
    writeFileSync(file, 'x'.repeat(4096))
    expect(await ask()).toMatchObject({ state: 'bad', what: expect.stringContaining('no database') })
  })
})

const findingOf = (findings: readonly Finding[], part: string): string | undefined =>
  findings.find(({ what }) => what.includes(part))?.what

test('beside a running server the command and the health page report on the database that it writes', async () => {
  await inFolder(async dir => {
    const server = await launch(dir)
    const post = async (): Promise<void> => {
      await (await fetch(`${server.url}/api/sessions`, { method: 'POST' })).text()
    }
    const health = async (): Promise<readonly Finding[]> =>
      ((await (await fetch(`${server.url}/api/doctor`)).json()) as { findings: readonly Finding[] }).findings
    const doctor = async (): Promise<readonly Finding[]> =>
      JSON.parse((await run(['doctor', '--port', '0', '--json'], dir)).stdout)
    for (const sessions of [1, 2]) {
      await post()
      for (const findings of [await health(), await doctor()])
        expect(findingOf(findings, 'log in the data folder')).toMatch(
          new RegExp(`schema version \\d+, sessions: ${sessions}$`),
        )
    }
    // The server still holds its lock, and can write.
    expect((await run(['--port', '0'], dir)).code).toBe(4)
    await post()
    const data = join(dir, '.toolwire')
    renameSync(data, join(dir, 'moved'))
    expect(await health()).toContainEqual(
      expect.objectContaining({ state: 'bad', what: expect.stringContaining('no longer in') }),
    )
    renameSync(join(dir, 'moved'), data)
    // After a kill the last writes are in the log beside the database alone.
    await server.stop('SIGKILL')
    const before = readdirSync(data)
    expect(findingOf(await doctor(), 'log in the data folder')).toMatch(/sessions: 3$/)
    expect(readdirSync(data)).toEqual(before)
  })
})

test('beside a server on PostgreSQL the command and the health page read that database', async () => {
  const database = await createTestDatabase()
  try {
    await inFolder(async dir => {
      const server = await launch(dir, ['--port', '0', '--database', database.url])
      await (await fetch(`${server.url}/api/sessions`, { method: 'POST' })).text()
      const { findings } = (await (await fetch(`${server.url}/api/doctor`)).json()) as {
        findings: readonly Finding[]
      }
      expect(findingOf(findings, 'PostgreSQL')).toMatch(/schema version \d+, sessions: 1$/)
      const { stdout } = await run(['doctor', '--port', '0', '--database', database.url], dir)
      expect(stdout).toMatch(/^ok {3}PostgreSQL .*, sessions: 1$/m)
      await server.stop()
    })
  } finally {
    await database.drop()
  }
})

test('a database that is a pipe, a folder, a link to itself or of another program is named and never waited for', async () => {
  await inFolder(async dir => {
    const file = join(dir, 'toolwire.db')
    const ask = () => examineLog({ config: configOf({ data: dir }) })
    execFileSync('mkfifo', [file])
    expect(await ask()).toMatchObject({ state: 'bad', what: expect.stringContaining('no database') })
    rmSync(file)
    mkdirSync(file)
    expect(await ask()).toMatchObject({ state: 'bad', what: expect.stringContaining('no database') })
    rmdirSync(file)
    symlinkSync('toolwire.db', file)
    expect(await ask()).toMatchObject({ state: 'bad', what: expect.stringContaining('cannot be read') })
    expect(examineClock({ config: configOf({ data: dir }) })).toMatchObject({ state: 'good' })
    rmSync(file)
    const db = new DatabaseSync(file)
    db.exec('create table other(x); pragma user_version = 1')
    db.close()
    expect(await ask()).toMatchObject({ state: 'bad', what: expect.stringContaining('no database') })
  })
})

test('MCP servers are reported by name: an entry that a start rejects, a missing program, all well', () => {
  const ask = (mcpServers: Config['mcpServers']) =>
    examineMcp({ config: configOf({ mcpServers }), env: { PATH: process.env['PATH'] } })
  const here = { command: 'sh' }
  expect(ask(undefined)).toEqual({ state: 'good', what: 'no MCP servers are configured' })
  expect(ask({ a: here, b: { url: 'http://127.0.0.1:1' } })).toEqual({
    state: 'good',
    what: 'MCP servers: a, b',
  })
  expect(ask({ a: here, b: { command: 'no-such-program' } })).toMatchObject({
    state: 'note',
    what: expect.stringContaining('the program of b (no-such-program) is not found'),
  })
  expect(ask({ a: { ...here, env: { KEY: '${NOT_SET}' } } })).toMatchObject({
    state: 'bad',
    what: expect.stringContaining('NOT_SET'),
  })
})

test('a clock before the data, proxies that are not used and a low limit are noted', async () => {
  await inFolder(async dir => {
    const file = join(dir, 'toolwire.db')
    writeFileSync(file, '')
    const ask = () => examineClock({ config: configOf({ data: dir }) })
    expect(ask()).toMatchObject({ state: 'good' })
    const later = new Date(Date.now() + 86_400_000)
    utimesSync(file, later, later)
    expect(ask()).toMatchObject({ state: 'note', what: expect.stringContaining('before the latest write') })
  })
  const proxy = { HTTPS_PROXY: 'http://user:hidden-word@127.0.0.1:1' }
  expect(examineProxy({ env: {} })).toMatchObject({ state: 'good' })
  expect(examineProxy({ env: proxy })).toMatchObject({
    state: 'note',
    what: 'HTTPS_PROXY is set and not used',
  })
  expect(examineProxy({ env: { ...proxy, NODE_USE_ENV_PROXY: '1' } })).toEqual({
    state: 'good',
    what: 'requests to the outside go by HTTPS_PROXY',
  })
  const limits = (soft: string): string =>
    `Max processes  9  9\nMax open files            ${soft}  8192  files\n`
  expect(judgeDescriptors(limits('1024'))).toMatchObject({ state: 'note' })
  expect(judgeDescriptors(limits('4096'))).toMatchObject({ state: 'good' })
  expect(judgeDescriptors(limits('unlimited'))).toMatchObject({ state: 'good' })
  expect(judgeDescriptors(undefined)).toMatchObject({ state: 'good' })
})
