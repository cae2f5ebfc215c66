/** Calls cannot fill the disk: limits per call, session and owner, and a disk that is full. Real commands and a real file system. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { defineTool } from '../src/define-tool.ts'
import { createDiskQuota, type DiskLimits, type DiskQuota, putCounted } from '../src/disk-quota.ts'
import { createBackgroundTasks } from '../src/shell/background-tasks.ts'
import { running, until } from './running.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

const MIB = 1024 ** 2
/** The end of an output and the lines around it. */
const END = 40_000

let folder: string
let stages: Stage[]
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-quota-')))
  stages = []
})
afterEach(() => {
  for (const stage of stages) stage.close()
  rmSync(folder, { recursive: true, force: true })
})

const chatter = defineTool({
  name: 'Chatter',
  description: 'Says more than it may.',
  input: z.strictObject({ pieces: z.number() }),
  isReadOnly: () => true,
  async *call({ pieces }) {
    for (let i = 0; i < pieces; i++) yield { type: 'progress', output_delta: 'x'.repeat(65_536) }
    yield { type: 'failure', message: 'It ended.' }
  },
})

const quotaOf = (limits: Partial<DiskLimits>, ownerOf?: (session: string) => Promise<string>): DiskQuota =>
  createDiskQuota({ artifacts: folder, limits, ownerOf })

function open(disk: DiskQuota, session_id = 'ses_1'): Stage {
  const tasks = createBackgroundTasks()
  const tools = [...createBuiltinTools({ tasks }), chatter]
  const stage = createStage({ tools, mode: 'bypassPermissions', artifacts: folder, disk, session_id })
  stages.push(stage)
  return stage
}

function bytesIn(path: string): number {
  const entries = existsSync(path) ? readdirSync(path, { recursive: true, withFileTypes: true }) : []
  return entries
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** The output of the first call of a session. */
const firstLog = (): string => join(folder, 'ses_1', 'call_msg_1_0.log')

describe('one call', () => {
  test('a command that never stops writing is stopped; its file has both ends and the size of the rest', async () => {
    const call = await open(quotaOf({ call: MIB })).one('Bash', { command: 'seq 1 99999999999' })
    expect(codeOf(call)).toBe('output_limit')
    expect(textOf(call)).toContain('The command was stopped')
    expect(textOf(call)).toContain(`Its first ${MIB} bytes and its end`)
    const text = readFileSync(firstLog(), 'utf8')
    expect(text.length).toBeLessThan(MIB + END)
    expect(text).toMatch(/^1\n2\n/)
    expect(text).toMatch(/\n\[\d+ bytes are not here; the last 32000:\]\n/)
    expect(running('seq\x001\x0099999999999')).toEqual([])
  })

  test.each([
    ['writes without end', 'seq 1 99999999999'],
    [
      'writes without end by itself',
      'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done',
    ],
    ['writes errors without end', 'seq 1 99999999999 >&2'],
    ['leaves the session and writes without end', 'setsid seq 1 99999999999'],
    ['writes one line without end', 'tr "\\0" x < /dev/zero'],
  ])('a background command that %s ends at the limit, and its file says so', async (_, command) => {
    const s = open(quotaOf({ call: MIB }))
    const call = await s.one('Bash', { command, run_in_background: true })
    const task_id = /task_\w+/.exec(textOf(call))?.[0] ?? ''
    await until(async () => textOf(await s.one('TaskOutput', { task_id })).includes('ended'))
    expect(statSync(firstLog()).size).toBeLessThan(MIB / 4 + 200)
    expect(readFileSync(firstLog(), 'utf8')).toContain(
      '[The output reached its limit; the command was stopped.]',
    )
  })

  test('a background command below the limit keeps its output and exit code', async () => {
    const s = open(quotaOf({ call: MIB }))
    const call = await s.one('Bash', { command: 'echo out; echo err >&2; exit 5', run_in_background: true })
    const task_id = /task_\w+/.exec(textOf(call))?.[0] ?? ''
    let text = ''
    await until(async () => {
      text = textOf(await s.one('TaskOutput', { task_id }))
      return text.includes('ended')
    })
    expect(text).toMatch(/exit code 5.*out\nerr/s)
  })

  test('a tool that reports progress without end is read on, and its file stays small', async () => {
    const call = await open(quotaOf({ call: MIB })).one('Chatter', { pieces: 64 })
    expect(textOf(call)).toContain('It ended.')
    expect(bytesIn(folder)).toBe(MIB)
  })
})

describe('a session', () => {
  test('that has reached its limit keeps no further output, and the call says so', async () => {
    const s = open(quotaOf({ call: MIB, session: 2 * MIB }))
    for (let i = 0; i < 4; i++) await s.one('Bash', { command: 'yes x | head -c 1000000' })
    const last = await s.one('Bash', { command: 'yes x | head -c 1000000' })
    expect(last.outcome).toBeDefined()
    expect(textOf(last)).toContain('Its first 0 bytes and its end')
    expect(bytesIn(folder)).toBeLessThan(2 * MIB + 5 * END)
    const background = await s.one('Bash', { command: 'echo hi', run_in_background: true })
    expect(codeOf(background)).toBe('quota_exceeded')
  })

  test('that is opened again includes its existing output; a removed output frees space', async () => {
    mkdirSync(join(folder, 'ses_1', 'blobs'), { recursive: true })
    writeFileSync(join(folder, 'ses_1', 'blobs', 'old'), 'x'.repeat(MIB))
    // A link counts as nothing: what it leads to is not the session's.
    symlinkSync('/dev/zero', join(folder, 'ses_1', 'endless'))
    const share = quotaOf({ session: 2 * MIB }).share('ses_1')
    await share.ready()
    expect(share.take(10 * MIB)).toBe(MIB)
    share.giveBack(MIB / 2)
    expect(share.take(10 * MIB)).toBe(MIB / 2)
  })

  test('that cannot keep the old content does not change a file, and says why', async () => {
    const s = open(quotaOf({ session: MIB }))
    const path = s.path('big.txt')
    writeFileSync(path, 'x'.repeat(900_000))
    await s.one('Read', { file_path: path, limit: 1 })
    const first = await s.one('Write', { file_path: path, content: 'y'.repeat(900_000) })
    expect(codeOf(first)).toBeUndefined()
    const second = await s.one('Write', { file_path: path, content: 'z' })
    expect(codeOf(second)).toBe('quota_exceeded')
    expect(textOf(second)).toContain('"storage" in the configuration')
    expect(readFileSync(path, 'utf8')).toBe('y'.repeat(900_000))
  })
})

describe('an owner', () => {
  const ownerOf = async (session: string): Promise<string> => (session.startsWith('a') ? 'ada' : 'bob')

  test('has one limit for all sessions, and another owner has another', async () => {
    const disk = quotaOf({ session: 2 * MIB, owner: 3 * MIB }, ownerOf)
    const [a1, a2, b1] = [disk.share('a1'), disk.share('a2'), disk.share('b1')]
    for (const share of [a1, a2, b1]) await share.ready()
    expect([a1.take(9 * MIB), a2.take(9 * MIB), b1.take(9 * MIB)]).toEqual([2 * MIB, MIB, 2 * MIB])
    disk.forget('a1')
    expect(a2.take(9 * MIB)).toBe(MIB)
  })

  test('whose sessions were measured at the start has that much less', async () => {
    const disk = quotaOf({ owner: 3 * MIB }, ownerOf)
    await disk.addMeasured('a1', 2 * MIB)
    const share = disk.share('a2')
    await share.ready()
    expect(share.take(9 * MIB)).toBe(MIB)
    // A session that is known is not counted again.
    await disk.addMeasured('a2', MIB)
    share.giveBack(MIB)
    expect(share.take(9 * MIB)).toBe(MIB)
  })

  test('never gets more than a limit, whatever is taken and given back', () => {
    const step = fc.record({
      session: fc.constantFrom('a1', 'a2', 'b1'),
      bytes: fc.integer({ min: 0, max: 40 }),
    })
    fc.assert(
      fc.property(fc.array(step), steps => {
        const disk = createDiskQuota({ artifacts: folder, limits: { call: 50, session: 60, owner: 1000 } })
        const held = new Map<string, number>()
        for (const { session, bytes } of steps) {
          const share = disk.share(session)
          const before = held.get(session) ?? 0
          if (bytes % 3 === 0 && before >= bytes) share.giveBack(bytes)
          const change = bytes % 3 === 0 && before >= bytes ? -bytes : share.take(bytes)
          held.set(session, before + change)
        }
        for (const bytes of held.values()) expect(bytes).toBeLessThanOrEqual(60)
      }),
    )
  })
})

test('a replaced file is counted once', async () => {
  const disk = quotaOf({ session: 1000 })
  const share = disk.share('ses_1')
  const path = join(folder, 'ses_1', 'file')
  for (let i = 0; i < 5; i++) await putCounted(path, 'x'.repeat(900), share)
  await putCounted(path, 'x'.repeat(100), share)
  expect(disk.share('ses_1').take(10_000)).toBe(900)
  await expect(putCounted(join(folder, 'ses_1', 'b'), 'x', share)).rejects.toMatchObject({
    code: 'quota_exceeded',
  })
})

const canMount = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0

describe.skipIf(!canMount)('a full disk', () => {
  let small: string
  beforeEach(() => {
    small = join(folder, 'small')
    mkdirSync(small)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', small])
  })
  afterEach(() => {
    execFileSync('umount', [small])
  })

  function openSmall(): Stage {
    const stage = createStage({
      tools: [...createBuiltinTools(), chatter],
      mode: 'bypassPermissions',
      artifacts: small,
    })
    stages.push(stage)
    return stage
  }

  test('ends a command whose output is lost with a typed error, and the next call works', async () => {
    const s = openSmall()
    const call = await s.one('Bash', { command: 'seq 1 999999' })
    expect(codeOf(call)).toBe('disk_full')
    expect(textOf(call)).toContain('999999')
    expect(textOf(call)).not.toContain('Full output:')
    expect(textOf(await s.one('Bash', { command: 'echo still here' }))).toBe('still here')
  })

  test('leaves a file as it is when its old content cannot be kept', async () => {
    const s = openSmall()
    const path = s.path('big.txt')
    writeFileSync(path, 'x'.repeat(2_000_000))
    await s.one('Read', { file_path: path, limit: 1 })
    expect(codeOf(await s.one('Write', { file_path: path, content: 'y' }))).toBe('disk_full')
    expect(statSync(path).size).toBe(2_000_000)
    expect(readdirSync(small, { recursive: true }).filter(name => String(name).endsWith('.tmp'))).toEqual([])
  })

  test('does not end a tool that reports progress', async () => {
    expect(textOf(await openSmall().one('Chatter', { pieces: 40 }))).toContain('It ended.')
  })
})
