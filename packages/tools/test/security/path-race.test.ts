/**
 * A process that swaps a folder of the workspace for a link, and back, as fast as it can, beside every tool that opens files.
 * `RACE_SECONDS=60 npm run test:only -- packages/tools/test/security/path-race.test.ts` attacks for a minute and counts.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import { createStage, type Stage } from '../stage.ts'
import { contentsOf, layTrap, SECRET } from './trap.ts'

// Hundreds of small files are written and synced: in memory, where there is such a folder.
if (existsSync('/dev/shm')) process.env['TMPDIR'] = '/dev/shm'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

const SECONDS = Number(process.env['RACE_SECONDS'] ?? 0)
const ATTEMPTS = 20

/**
 * Prints the number of its swaps when its input ends. It sleeps in both states for lengths that differ: who wakes up is
 * scheduled before who is running, so that swaps fall into calls on a busy machine too.
 */
const SWAPPER = `
  const fs = require('node:fs')
  const [folder, outside] = process.argv.slice(1)
  const cell = new Int32Array(new SharedArrayBuffer(4))
  const rest = n => Atomics.wait(cell, 0, 0, (n % 17) / 20)
  let swaps = 0
  process.stdin.resume().on('end', () => {
    fs.writeSync(1, String(swaps))
    process.exit()
  })
  function swap() {
    for (let n = 0; n < 20; n++)
      try {
        fs.renameSync(folder, folder + '.away')
        fs.symlinkSync(outside, folder)
        swaps++
        rest(swaps)
        fs.unlinkSync(folder)
        fs.renameSync(folder + '.away', folder)
        rest(swaps * 5)
      } catch {}
    setImmediate(swap)
  }
  swap()`

async function startSwapper(folder: string, outside: string): Promise<() => Promise<number>> {
  const swapper = spawn(process.execPath, ['-e', SWAPPER, folder, outside])
  let printed = ''
  swapper.stdout.on('data', data => {
    printed += String(data)
  })
  await once(swapper, 'spawn')
  return async () => {
    swapper.stdin.end()
    await once(swapper, 'close')
    return Number(printed)
  }
}

/** No two rounds have equal calls, so that none is taken for a repetition. */
const callsOf = (n: number, at: (...names: string[]) => string): readonly (readonly [string, object])[] => [
  ['Write', { file_path: at(`new-${n}`, 'x.txt'), content: 'x' }],
  ['Read', { file_path: at('a.txt') }],
  ['Edit', { file_path: at('a.txt'), old_string: 'side', new_string: `side${n}` }],
  ['Grep', { pattern: `secret|${n}`, path: at(), output_mode: 'content' }],
  ['Glob', { pattern: '**/*', path: at() }],
  ['LS', { path: at() }],
  ['NotebookRead', { notebook_path: at('a.ipynb') }],
  ['NotebookEdit', { notebook_path: at('a.ipynb'), cell_id: 'one', new_source: `${n}` }],
  ['Write', { file_path: at('a.txt'), content: `inside ${n}` }],
]

test(
  'no race with a process that swaps the folder all the time is won',
  async () => {
    const end = Date.now() + SECONDS * 1000
    const counts = { calls: 0, swaps: 0 }
    do {
      const s = createStage({ tools: createBuiltinTools(), mode: 'acceptEdits' })
      stage = s
      const trap = layTrap(s.path('folder'), join(s.dir, 'outside'))
      trap.reset()
      const before = contentsOf(trap.outside)
      const stop = await startSwapper(trap.folder, trap.outside)
      for (let n = 0; n < ATTEMPTS; n++)
        for (const [name, input] of callsOf(n, (...names) => s.path('folder', ...names))) {
          await s.one(name, input)
          counts.calls += 1
        }
      counts.swaps += await stop()
      expect(contentsOf(trap.outside)).toEqual(before)
      expect(JSON.stringify(s.records)).not.toContain(SECRET)
      s.close()
    } while (Date.now() < end)
    expect(counts.swaps).toBeGreaterThan(0)
    if (SECONDS > 0) process.stdout.write(`${JSON.stringify(counts)}\n`)
  },
  SECONDS === 0 ? undefined : 10 * SECONDS * 1000,
)
