/** Limits of commands: their time, and a separate process group to be stopped by. */
import { afterEach, expect, test, vi } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
afterEach(() => {
  vi.restoreAllMocks()
  stage?.close()
  stage = undefined
})
const open = (): Stage => {
  stage = createStage({ tools: createBuiltinTools(), mode: 'bypassPermissions' })
  return stage
}

test.each([
  [undefined, 120_000],
  [5_000, 5_000],
  [700_000, 600_000],
])('a command with the limit %s gets %i ms before it continues in the background', async (timeout, limit) => {
  const waits = vi.spyOn(globalThis, 'setTimeout')
  await open().one('Bash', { command: 'true', ...(timeout === undefined ? {} : { timeout }) })
  const longest = Math.max(...waits.mock.calls.map(([, ms]) => ms ?? 0))
  expect(longest).toBe(limit)
})

test.each([
  [undefined, 1_800_000],
  [5_000, 5_000],
  [7_200_000, 7_200_000],
])('a command in the background with the limit %s is given %i ms', async (timeout, limit_ms) => {
  const s = open()
  const more = timeout === undefined ? {} : { timeout }
  await s.one('Bash', { command: 'true', run_in_background: true, ...more })
  expect(s.events('note').map(event => event.value)).toContainEqual(expect.objectContaining({ limit_ms }))
})

test('no command is given more than two hours', async () => {
  const call = await open().one('Bash', { command: 'true', timeout: 7_200_001 })
  expect(codeOf(call)).toBe('invalid_input')
})

test('a command leads a separate process group and session, never those of the server', async () => {
  const call = await open().one('Bash', { command: "echo $$; cut -d' ' -f5,6 /proc/$$/stat" })
  const [pid, group] = textOf(call).split('\n')
  expect(Number(pid)).not.toBe(process.pid)
  expect(group).toBe(`${pid} ${pid}`)
})
