import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { createDiagnostics } from '../src/files/diagnostics.ts'
import { reasonOf, toCode } from '../src/files/inspect-path.ts'
import { canonicalPath, pathProblem } from '../src/files/resolve-path.ts'
import { running, unique } from './running.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

let s: Stage
let socket: Server | undefined
beforeEach(() => {
  s = createStage({ tools: createBuiltinTools() })
})
afterEach(() => {
  socket?.close()
  socket = undefined
  s.close()
})

/** Every tool that takes a path, with the least else it needs. */
const TOOLS: readonly (readonly [string, (path: string) => object])[] = [
  ['Read', file_path => ({ file_path })],
  ['Edit', file_path => ({ file_path, old_string: 'a', new_string: 'b' })],
  ['Write', file_path => ({ file_path, content: 'x' })],
  ['NotebookRead', notebook_path => ({ notebook_path })],
  ['NotebookEdit', notebook_path => ({ notebook_path, cell_id: 'a', new_source: 'x' })],
  ['LS', path => ({ path })],
  ['Glob', path => ({ path, pattern: '*' })],
  ['Grep', path => ({ path, pattern: 'x' })],
]

describe.each(TOOLS)('%s', (name, input) => {
  test.each([
    ['a named pipe', () => void execFileSync('mkfifo', [s.path('odd.ipynb')]), 'named pipe'],
    [
      'a socket',
      async () => {
        socket = createServer()
        await new Promise<void>(resolve => socket?.listen(s.path('odd.ipynb'), resolve))
      },
      'socket',
    ],
    ['a link to an endless device', () => symlinkSync('/dev/zero', s.path('odd.ipynb')), 'character device'],
    ['a link to a descriptor', () => symlinkSync('/proc/self/fd/0', s.path('odd.ipynb')), ''],
  ])('names %s and never opens it', async (_, make, kind) => {
    await make()
    const call = await s.one(name, input(s.path('odd.ipynb')))
    // A device outside the workspace is asked about at most; nothing is read from it.
    if (call.outcome === undefined) return expect(call.approval?.message).toContain('outside')
    expect(call.outcome.is_error).toBe(true)
    expect(textOf(call)).toContain(kind)
  })

  test.each([
    ['', 'bad_path'],
    ['a\0b', 'bad_path'],
    [`${'x'.repeat(300)}.ipynb`, 'name_too_long'],
    [`/${'d/'.repeat(3000)}x`, 'name_too_long'],
  ])('refuses the path %#', async (path, code) => {
    if (path === '' && (name === 'Grep' || name === 'Glob')) return expect(TOOLS.length).toBe(8)
    const call = await s.one(name, input(path))
    expect(call.outcome?.is_error).toBe(true)
    expect(codeOf(call)).toBe(code)
  })

  test('does not leave the workspace by dots, by a link, or by a name that begins like it, without asking', async () => {
    const outside = join(s.dir, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'x.ipynb'), 'secret')
    symlinkSync(outside, s.path('link'))
    mkdirSync(`${s.workspace}-evil`)
    writeFileSync(`${s.workspace}-evil/x.ipynb`, 'secret')
    for (const path of [
      s.path('..', 'outside', 'x.ipynb'),
      '../outside/x.ipynb',
      s.path('link', 'x.ipynb'),
      `${s.workspace}-evil/x.ipynb`,
      '/etc/passwd',
    ]) {
      const call = await s.one(name, input(path))
      expect(textOf(call)).not.toContain('secret')
      if (call.outcome === undefined) expect(call.approval?.message).toContain('outside')
      else expect(call.outcome.is_error).toBe(true)
    }
    expect(readFileSync(join(outside, 'x.ipynb'), 'utf8')).toBe('secret')
  })
})

describe('searches', () => {
  test('pass over pipes and sockets in a directory', async () => {
    s.close()
    const { createGrepTool } = await import('../src/builtin/grep.ts')
    const { createGlobTool } = await import('../src/builtin/glob.ts')
    s = createStage({ tools: [createGrepTool(), createGlobTool()] })
    execFileSync('mkfifo', [s.path('pipe')])
    symlinkSync('/dev/zero', s.path('zero'))
    writeFileSync(s.path('a.txt'), 'needle')
    expect(textOf(await s.one('Grep', { pattern: 'needle' }))).toContain('Found 1 file')
    expect(textOf(await s.one('Glob', { pattern: '*.txt' }))).toContain('a.txt')
  })
})

describe('links that lead to nothing', () => {
  test('count as the place they lead to', () => {
    symlinkSync('/nowhere/at/all', s.path('away'))
    symlinkSync('not-yet', s.path('near'))
    symlinkSync('loop-b', s.path('loop-a'))
    symlinkSync('loop-a', s.path('loop-b'))
    expect(canonicalPath(s.path('away', 'x'))).toBe('/nowhere/at/all/x')
    expect(canonicalPath(s.path('near'))).toBe(s.path('not-yet'))
    expect(canonicalPath(s.path('loop-a'))).toBeTypeOf('string')
  })

  test('are asked about when that is outside, and kept when it is written', async () => {
    symlinkSync(join(s.dir, 'made-outside'), s.path('away'))
    const asked = await s.one('Write', { file_path: s.path('away'), content: 'x' })
    expect(asked.outcome).toBeUndefined()
    expect(asked.approval?.message).toContain('outside')
    s.close()
    s = createStage({ tools: createBuiltinTools(), mode: 'acceptEdits' })
    symlinkSync('not-yet', s.path('near'))
    await s.one('Write', { file_path: s.path('near'), content: 'x' })
    expect(readlinkSync(s.path('near'))).toBe('not-yet')
    expect(readFileSync(s.path('not-yet'), 'utf8')).toBe('x')
  })
})

test('network paths of Windows are refused before anything is looked at', () => {
  for (const path of ['\\\\server\\share\\x', '//server/share/x'])
    expect(pathProblem(path, 'win32')?.message).toContain('Network paths')
  expect(pathProblem('C:\\x', 'win32')).toBeUndefined()
  expect(pathProblem('//usr/x', 'linux')).toBeUndefined()
})

describe('huge and deep files', () => {
  test('are paged, or refused with their size; nothing is read whole', async () => {
    const file = openSync(s.path('huge.ipynb'), 'w')
    ftruncateSync(file, 5 * 1024 ** 3)
    closeSync(file)
    for (const [name, input] of TOOLS.slice(0, 5)) {
      const call = await s.one(name, input(s.path('huge.ipynb')))
      expect(call.outcome?.is_error).toBe(true)
    }
    expect(textOf(await s.one('NotebookRead', { notebook_path: s.path('huge.ipynb') }))).toContain('at most')
  })

  test('a notebook nested beyond measure is an error, not a crash', async () => {
    const depth = 200_000
    writeFileSync(
      s.path('deep.ipynb'),
      `{"nbformat":4,"nbformat_minor":5,"metadata":${'['.repeat(depth)}${']'.repeat(depth)},"cells":[]}`,
    )
    for (const call of [
      await s.one('NotebookRead', { notebook_path: s.path('deep.ipynb') }),
      await s.one('Read', { file_path: s.path('deep.ipynb') }),
    ])
      expect(call.outcome).toBeDefined()
  })
})

describe('an approved change', () => {
  const ask = async (): Promise<string> => {
    mkdirSync(s.path('sub'))
    const call = await s.one('Write', { file_path: s.path('sub', 'x.txt'), content: 'approved' })
    expect(call.outcome).toBeUndefined()
    return s.path('sub', 'x.txt')
  }
  const approve = async () => {
    s.approve(s.state().calls[0] ?? (undefined as never))
    await s.settle()
    return s.state().calls[0]
  }

  test('goes where it was approved for, after a restart too', async () => {
    const path = await ask()
    s.restart()
    expect((await approve())?.outcome?.is_error).toBe(false)
    expect(readFileSync(path, 'utf8')).toBe('approved')
  })

  test('with other words by the approver is written with those, and that is in the data', async () => {
    const path = await ask()
    const edited = JSON.stringify({ file_path: path, content: 'by a person' })
    s.approve(s.state().calls[0] ?? (undefined as never), { edited_input_text: edited })
    await s.settle()
    expect(readFileSync(path, 'utf8')).toBe('by a person')
    expect(s.events('tool.completed').at(-1)?.structured).toMatchObject({ userModified: true })
  })

  test('does not follow a link that was put in its way', async () => {
    await ask()
    const outside = join(s.dir, 'outside')
    mkdirSync(outside)
    rmSync(s.path('sub'), { recursive: true })
    symlinkSync(outside, s.path('sub'))
    const call = await approve()
    expect(codeOf(call)).toBe('stale')
    expect(textOf(call)).toContain('but the call was allowed for')
    expect(readdirSync(outside)).toEqual([])
  })

  test('does not go into a directory that took the place of the approved one', async () => {
    const path = await ask()
    renameSync(s.path('sub'), s.path('moved'))
    mkdirSync(s.path('sub'))
    expect(codeOf(await approve())).toBe('stale')
    expect(existsSync(path)).toBe(false)
  })
})

test('a disk that takes no more leaves the old content and no other file', async () => {
  // The limit on file sizes fails in the middle of the write, as a full disk does.
  const script = `
    import { atomicWrite } from ${JSON.stringify(new URL('../src/files/atomic-write.ts', import.meta.url).pathname)}
    import { hashOf } from ${JSON.stringify(new URL('../src/files/ledger.ts', import.meta.url).pathname)}
    const path = process.argv[1]
    const bytes = Buffer.alloc(1024 * 1024, 'x')
    await atomicWrite({ path, bytes, expect: hashOf(Buffer.from('old')) }).then(
      () => console.log('written'),
      error => console.log(error.code),
    )`
  for (const linked of [false, true]) {
    const path = s.path(linked ? 'linked.txt' : 'plain.txt')
    writeFileSync(path, 'old')
    if (linked) linkSync(path, s.path('other-name.txt'))
    const before = readdirSync(s.workspace).sort()
    const said = execFileSync(
      'bash',
      [
        '-c',
        'ulimit -f 64; exec "$0" --conditions=toolwire-source --input-type=module -e "$1" "$2"',
        process.execPath,
        script,
        path,
      ],
      { encoding: 'utf8' },
    )
    expect(said.trim()).toBe('EFBIG')
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(readdirSync(dirname(path)).sort()).toEqual(before)
  }
})

const UNPRIVILEGED = fileURLToPath(new URL('./unprivileged-writes.ts', import.meta.url))

/** True if another user could run the tools from here: a checkout below a superuser's home is closed to others. */
function isOpenToOthers(): boolean {
  for (let dir = dirname(UNPRIVILEGED); ; dir = dirname(dir)) {
    if ((statSync(dir).mode & 0o001) === 0) return false
    if (dir === dirname(dir)) return true
  }
}
const canTry = process.getuid?.() !== 0 || isOpenToOthers()
const withoutRights = canTry
  ? 'a file is written in place where its directory takes no other, keeps its content when that fails, and what may not be read is told'
  : 'nothing is tried, because only a superuser can read this checkout'

test(`without the rights of a superuser ${withoutRights}`, () => {
  if (!canTry) return
  // A superuser may write anywhere, so the tools run in an unprivileged process.
  const temporary = join(s.dir, 'temporary')
  mkdirSync(temporary)
  chmodSync(s.dir, 0o755)
  chmodSync(temporary, 0o777)
  const said = execFileSync(
    'bash',
    ['-c', 'ulimit -f 64; exec "$0" --conditions=toolwire-source "$1"', process.execPath, UNPRIVILEGED],
    { encoding: 'utf8', env: { ...process.env, TMPDIR: temporary } },
  )
  const report = JSON.parse(said)
  expect(report.uid).not.toBe(0)
  expect(report).toMatchObject({
    content: 'new\n',
    same_file: true,
    mode: 0o640,
    created: 'permission_denied',
    fixed: ['permission_denied', 'as it is\n'],
    content_then: 'new\n',
    names: ['a.txt'],
    copies: [],
  })
  expect(report.edited).toContain('has been updated')
  expect(report.too_large).toContain('was not written')
  // Unreadable files are reported, never just omitted.
  expect(report.listed).toMatch(/- secret\/\n +- \(permission denied\)/)
  expect(report.searched).toMatch(/closed\.txt.*Permission denied/)
  expect(report.globbed).toMatch(/could not be searched: .*secret: Permission denied/)
})

test.each([
  ['EROFS', 'read_only', 'read-only'],
  ['EACCES', 'permission_denied', 'permission denied'],
  ['ENAMETOOLONG', 'name_too_long', 'too long'],
  ['ENOSPC', 'disk_full', 'disk is full'],
  ['EISDIR', 'is_directory', 'directory'],
])('%s has its own code and reason', (system, code, reason) => {
  expect(toCode(system)).toBe(code)
  expect(reasonOf(system)).toContain(reason)
})

describe('a checker', () => {
  const withChecker = (command: string, timeout_ms = 5_000): void => {
    s.close()
    const diagnostics = createDiagnostics([{ glob: '*.txt', command }], { timeout_ms })
    s = createStage({ tools: createBuiltinTools({ diagnostics }), mode: 'acceptEdits' })
  }

  test('says what it finds in a changed file, to the model and in the data', async () => {
    withChecker('grep -n bad "$FILE"')
    const call = await s.one('Write', { file_path: s.path('a.txt'), content: 'good\nbad\n' })
    expect(textOf(call)).toMatch(/Diagnostics:\n2:bad$/)
    expect(s.events('tool.completed').at(-1)?.structured).toMatchObject({ diagnostics: ['2:bad'] })
    await s.one('Read', { file_path: s.path('a.txt') })
    const edited = await s.one('Edit', { file_path: s.path('a.txt'), old_string: 'good', new_string: 'bad' })
    expect(textOf(edited)).toMatch(/Diagnostics:\n1:bad\n2:bad$/)
  })

  test('is silent about files that are fine or not its own', async () => {
    withChecker('grep -n bad "$FILE"')
    expect(textOf(await s.one('Write', { file_path: s.path('a.txt'), content: 'good' }))).not.toContain(
      'Diag',
    )
    expect(textOf(await s.one('Write', { file_path: s.path('a.md'), content: 'bad' }))).not.toContain('Diag')
  })

  test('says at most twenty lines', async () => {
    withChecker('seq 1 100')
    const text = textOf(await s.one('Write', { file_path: s.path('a.txt'), content: 'x' }))
    expect(text.split('Diagnostics:\n')[1]?.split('\n')).toHaveLength(20)
    expect(text).toContain('… 81 more lines')
  })

  test('that never ends is stopped with all it started, and the change is kept', async () => {
    const mark = unique()
    withChecker(`sleep ${mark} & sleep ${mark}`, 200)
    const call = await s.one('Write', { file_path: s.path('a.txt'), content: 'x' })
    expect(call.outcome?.is_error).toBe(false)
    expect(textOf(call)).toContain('was stopped after 200 ms')
    expect(running(`sleep\0${mark}`)).toEqual([])
  })
})

test('checks before a question reveal nothing of a path that needs one', async () => {
  writeFileSync(join(s.dir, 'secret-plan.ipynb'), 'secret')
  for (const [name, input] of TOOLS) {
    const call = await s.one(name, input(join(s.dir, 'Secret-Plan.ipynb')))
    expect(textOf(call)).not.toContain('secret')
  }
})
