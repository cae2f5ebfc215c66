import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { codeOf } from '../../tools/test/stage.ts'
import { closeAll, eventually, isReady, notesOf, program, stageOf, start, until } from './stage-mcp.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-mcp-processes-'))
})
afterEach(closeAll)
afterEach(() => {
  for (const pid of pids()) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const notes = (): string => join(folder, 'notes')
const pids = (): readonly number[] =>
  notesOf(notes())
    .map(Number)
    .filter(pid => pid > 1)

/** Not gone and not a zombie. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

test('a server that will not end, and its child that moved away, are gone when all is closed', async () => {
  const mcp = start({ test: program('stubborn-server.ts', notes()) })
  await until(mcp, isReady(mcp))
  const all = pids()
  expect(all.length).toBeGreaterThanOrEqual(2)
  expect(all.slice(-2).every(isAlive)).toBe(true)
  await mcp.close()
  expect(all.filter(isAlive)).toEqual([])
})

test('a server that dies takes its children with it', async () => {
  const mcp = start({ test: program('stubborn-server.ts', notes()) }, { backoff: { first_ms: 60_000 } })
  await until(mcp, isReady(mcp))
  const all = pids()
  expect(codeOf(await stageOf(mcp).one('mcp__test__crash', {}))).toBe('mcp_error')
  await eventually(() => !all.some(isAlive))
})

test('a server leads a separate process group', async () => {
  const mcp = start({ test: program('stubborn-server.ts', notes()) })
  await until(mcp, isReady(mcp))
  const pid = pids().at(-2) ?? 0
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ')
  expect(Number(fields[2])).toBe(pid)
})

test('what outlived a crash of ours is ended by the next start', async () => {
  const path = join(import.meta.dirname, 'server-owner.ts')
  const store = join(folder, 'mcp')
  const owner = spawn(process.execPath, ['--conditions=toolwire-source', path, store, notes()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  owner.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  await eventually(() => said.includes('ready') && readdirSync(join(store, 'processes')).length > 0)
  const ended = once(owner, 'exit')
  owner.kill('SIGKILL')
  await ended
  expect(pids().some(isAlive)).toBe(true)
  const next = start({}, { folder: store })
  await next.close()
  expect(pids().filter(isAlive)).toEqual([])
  expect(existsSync(join(store, 'processes')) ? readdirSync(join(store, 'processes')) : []).toEqual([])
})
