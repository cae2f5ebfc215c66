/** A path that was judged is the one that is used: a folder that becomes a link, at whatever moment, leads nowhere. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolContext } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepOutput } from '../../src/bound-output.ts'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import { atomicWrite, removeFile } from '../../src/files/atomic-write.ts'
import { keepBlob } from '../../src/files/blobs.ts'
import { hashOf } from '../../src/files/ledger.ts'
import { createMemoryStore } from '../../src/memory/memory-store.ts'
import { createOutputSink } from '../../src/shell/output-sink.ts'
import { createUndo } from '../../src/undo/undo.ts'
import { codeOf, createStage, type Stage } from '../stage.ts'
import { stepByStep } from './interleaving.ts'
import { contentsOf, layTrap, SECRET, type Trap } from './trap.ts'

// Hundreds of small files are written and synced: in memory, where there is such a folder.
if (existsSync('/dev/shm')) process.env['TMPDIR'] = '/dev/shm'

let dir = ''
let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
  if (dir !== '') rmSync(dir, { recursive: true, force: true })
  dir = ''
})

/** With a file that has the same content on both sides, so that only its place protects the one outside. */
const withSame = (trap: Trap): Trap => ({
  ...trap,
  reset() {
    trap.reset()
    for (const one of [trap.folder, trap.outside]) writeFileSync(join(one, 'deep', 'same.txt'), 'same')
  },
})

/**
 * Runs `work` again and again, each time with the link in place for another stretch of its steps; nothing outside may
 * change. `lengths` are how many steps the link stays.
 */
async function attack(
  trap: Trap,
  work: () => Promise<unknown>,
  lengths: (steps: number) => readonly number[],
): Promise<number> {
  trap.reset()
  const before = contentsOf(trap.outside)
  const quietly = (): Promise<unknown> => work().catch(() => undefined)
  const steps = await stepByStep(trap.folder, quietly, () => {})
  expect(steps).toBeGreaterThan(3)
  let attacks = 0
  for (let from = 0; from < steps; from++)
    for (const length of lengths(steps - from)) {
      trap.reset()
      await stepByStep(trap.folder, quietly, step => {
        if (step === from) trap.swap()
        if (step === from + length) trap.unswap()
      })
      trap.unswap()
      expect(contentsOf(trap.outside)).toEqual(before)
      attacks++
    }
  return attacks
}

const every = (steps: number): readonly number[] => Array.from({ length: steps }, (_, i) => i + 1)
/** In turns for one step and for all that are left. */
const brief = (steps: number): readonly number[] => [steps % 2 === 0 ? 1 : steps]

describe('a folder that becomes a link between any two steps, for any number of them', () => {
  const lay = (): Trap => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-trap-')))
    return layTrap(join(dir, 'folder'), join(dir, 'outside'))
  }
  const bytes = Buffer.from('written')

  test('leads no write outside: a new file, one in new folders, one that is replaced', async () => {
    const trap = lay()
    const write = (name: string, expected: string | null) => () =>
      atomicWrite({ path: join(trap.folder, name), bytes, expect: expected })
    await attack(trap, write('new.txt', null), every)
    await attack(trap, write('x/y/new.txt', null), every)
    await attack(trap, write('a.txt', hashOf(Buffer.from('inside'))), every)
  })

  test('leads no removal outside', async () => {
    const trap = lay()
    const path = join(trap.folder, 'deep', 'same.txt')
    await attack(withSame(trap), () => removeFile(path, hashOf(Buffer.from('same'))), every)
  })

  test('leads no stored output, no output of a command and no kept content outside', async () => {
    const trap = lay()
    await attack(trap, () => keepOutput(join(trap.folder, 'call.log'), 'text', undefined), every)
    await attack(trap, () => keepBlob({ artifacts: trap.folder }, bytes), every)
    await attack(
      trap,
      async () => {
        const sink = createOutputSink(join(trap.folder, 'session', 'call.log'), 10)
        sink.spill()
        await sink.close()
      },
      every,
    )
  })

  test('leads no memory outside', async () => {
    const trap = lay()
    const store = createMemoryStore(trap.folder)
    const owner = { workspace: dir, session_id: 's' }
    await attack(
      trap,
      async () => {
        const located = await store.locate('user/note.md', owner)
        if (!located.ok) return
        await store.write(located.place, 'one')
        await store.write(located.place, 'two')
        await store.remove(located.place)
      },
      brief,
    )
  })
})

describe('a folder of the workspace that becomes a link while a call runs', () => {
  const open = (): { readonly s: Stage; readonly trap: Trap } => {
    const s = createStage({ tools: createBuiltinTools(), mode: 'acceptEdits' })
    stage = s
    return { s, trap: layTrap(s.path('folder'), join(s.dir, 'outside')) }
  }

  test('leads no Write outside, and no folder that it makes', async () => {
    const { s, trap } = open()
    let n = 0
    const write = () => s.one('Write', { file_path: s.path('folder', `new-${n++}`, 'x.txt'), content: 'x' })
    await attack(trap, write, brief)
  })

  /** Another spelling each time: the same call again and again would be stopped as a loop. */
  let spellings = 0
  const inFolder = (s: Stage, file: string): string =>
    `${s.path('folder')}${'/.'.repeat(spellings++ % 500)}/${file}`
  beforeEach(() => {
    spellings = 0
  })

  test('leads no Edit outside', async () => {
    const { s, trap } = open()
    const edit = async () => {
      await s.one('Read', { file_path: inFolder(s, 'deep/same.txt') })
      const file_path = inFolder(s, 'deep/same.txt')
      await s.one('Edit', { file_path, old_string: 'same', new_string: 'changed' })
    }
    await attack(withSame(trap), edit, brief)
  })

  test('leads no NotebookEdit outside', async () => {
    const { s, trap } = open()
    const edit = async () => {
      await s.one('NotebookRead', { notebook_path: inFolder(s, 'a.ipynb') })
      const notebook_path = inFolder(s, 'a.ipynb')
      await s.one('NotebookEdit', { notebook_path, cell_id: 'one', new_source: 'changed' })
    }
    await attack(trap, edit, brief)
  })

  test.each([
    ['Read', 'file_path', 'a.txt'],
    ['NotebookRead', 'notebook_path', 'a.ipynb'],
    ['Grep', 'path', 'a.txt'],
    ['Grep', 'path', ''],
  ])('shows nothing of what is outside: %s with %s %s', async (name, key, file) => {
    const { s, trap } = open()
    const search = name === 'Grep' ? { pattern: '.', output_mode: 'content' } : {}
    await attack(trap, () => s.one(name, { [key]: inFolder(s, file), ...search }), brief)
    expect(JSON.stringify(s.records)).not.toContain(SECRET)
  })

  test('leads undo nowhere', async () => {
    const { s, trap } = open()
    const undo = createUndo({
      log: { read: async (_, after) => s.records.filter(({ seq }) => seq > after), append: async () => [] },
      artifacts: join(s.dir, 'artifacts'),
      now: () => new Date(0),
      newId: prefix => `${prefix}1`,
    })
    trap.reset()
    await s.one('Read', { file_path: s.path('folder', 'a.txt') })
    await s.one('Edit', { file_path: s.path('folder', 'a.txt'), old_string: 'inside', new_string: SECRET })
    const reset = (): void => {
      trap.reset()
      writeFileSync(s.path('folder', 'a.txt'), SECRET)
    }
    await attack({ ...trap, reset }, () => undo(s.scope.session_id, { session: true }), every)
  })
})

describe('a link that was put in the way of a path', () => {
  test('after a person approved reading it is not followed', async () => {
    stage = createStage({ tools: createBuiltinTools() })
    const s = stage
    mkdirSync(join(s.dir, 'shared'))
    mkdirSync(join(s.dir, 'private'))
    writeFileSync(join(s.dir, 'shared', 'x.txt'), 'shared')
    writeFileSync(join(s.dir, 'private', 'x.txt'), SECRET)
    symlinkSync(join(s.dir, 'shared'), s.path('link'))
    const asked = await s.one('Read', { file_path: s.path('link', 'x.txt') })
    expect(asked.approval?.message).toContain('outside')
    unlinkSync(s.path('link'))
    symlinkSync(join(s.dir, 'private'), s.path('link'))
    s.approve(asked)
    await s.settle()
    expect(codeOf(s.state().calls[0])).toBe('stale')
    expect(JSON.stringify(s.records)).not.toContain(SECRET)
  })

  test('after a crash is not followed by the call that is run again', async () => {
    stage = createStage({ tools: createBuiltinTools() })
    const s = stage
    mkdirSync(join(s.dir, 'private'))
    writeFileSync(join(s.dir, 'private', 'x.txt'), SECRET)
    mkdirSync(s.path('sub'))
    writeFileSync(s.path('sub', 'x.txt'), 'inside')
    await s.say([{ name: 'Read', input: { file_path: s.path('sub', 'x.txt') }, id: 'call_1' }])
    s.append({
      type: 'tool.started',
      ts: new Date(0).toISOString(),
      run_id: 'run_1',
      call_id: 'call_1',
      attempt: 1,
    })
    s.restart()
    rmSync(s.path('sub'), { recursive: true })
    symlinkSync(join(s.dir, 'private'), s.path('sub'))
    await s.settle()
    expect(codeOf(s.state().calls[0])).toBe('stale')
    expect(JSON.stringify(s.records)).not.toContain(SECRET)
  })
})

test.each([
  ['Write', 'file_path', 'a.txt', { content: 'changed' }],
  ['Edit', 'file_path', 'a.txt', { old_string: 'side', new_string: 'changed' }],
  ['NotebookEdit', 'notebook_path', 'a.ipynb', { cell_id: 'one', new_source: 'changed' }],
])(
  'a question about %s shows nothing of a file that the session has not read',
  async (name, key, file, input) => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-trap-')))
    layTrap(join(dir, 'folder'), join(dir, 'outside')).reset()
    const path = join(dir, 'outside', file)
    const tool = createBuiltinTools().find(one => one.name === name)
    const known = { size: 0, mtime: 0, seen: 'all' }
    const preview = (isKnown: boolean): Promise<unknown> | undefined => {
      const notes = { get: (note: string) => (isKnown && note === `file:${path}` ? known : undefined) }
      const context = { cwd: dir, roots: [dir], notes, call_id: 'c' } as unknown as ToolContext
      return tool?.preview?.({ [key]: path, edit_mode: 'replace', ...input }, context)
    }
    expect(JSON.stringify(await preview(true))).toContain(SECRET)
    expect(await preview(false)).toBeUndefined()
  },
)
