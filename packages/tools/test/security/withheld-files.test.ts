/** A rule that withholds files from reading holds for every tool, whatever way leads to the bytes. */
import { linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import { createGlobTool } from '../../src/builtin/glob.ts'
import { createGrepTool } from '../../src/builtin/grep.ts'
import { defineTool } from '../../src/define-tool.ts'
import { codeOf, createStage, type Stage, type StageOptions, textOf } from '../stage.ts'

const SECRET = 'TOP-SECRET-7731'
const stages: Stage[] = []
afterEach(() => {
  for (const stage of stages.splice(0)) stage.close()
})

function open(options: Partial<StageOptions> = {}): Stage {
  const stage = createStage({
    tools: createBuiltinTools(),
    permissions: { rules: { deny: ['Read(secrets/**)'] } },
    ...options,
  })
  stages.push(stage)
  mkdirSync(stage.path('secrets', 'deep'), { recursive: true })
  mkdirSync(stage.path('src'))
  writeFileSync(stage.path('secrets', 'key.txt'), `${SECRET}\n`)
  writeFileSync(stage.path('secrets', 'deep', 'old.ipynb'), notebook)
  writeFileSync(stage.path('src', 'a.txt'), 'public needle\n')
  return stage
}
const cell = { id: 'c1', cell_type: 'code', source: SECRET, metadata: {}, outputs: [], execution_count: null }
const notebook = JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 })

/** Everything that the session's log holds of this call. */
const logOf = (stage: Stage): string => JSON.stringify(stage.records.map(({ ev }) => ev))

describe('a file that a rule withholds', () => {
  test.each([
    ['Read', { file_path: 'secrets/key.txt' }],
    ['Read', { file_path: 'secrets/../secrets/key.txt' }],
    ['Read', { file_path: '@secrets/key.txt' }],
    ['Read', { file_path: 'link-to-file' }],
    ['Read', { file_path: 'link-to-folder/key.txt' }],
    ['Read', { file_path: 'chain/key.txt' }],
    ['NotebookRead', { notebook_path: 'secrets/deep/old.ipynb' }],
    ['Grep', { pattern: 'TOP', path: 'secrets', output_mode: 'content' }],
    ['Grep', { pattern: 'TOP', path: 'link-to-file', output_mode: 'content' }],
    ['Glob', { pattern: '**', path: 'link-to-folder' }],
    ['LS', { path: 'secrets' }],
    ['Edit', { file_path: 'secrets/key.txt', old_string: 'TOP', new_string: 'x' }],
    ['Write', { file_path: 'link-to-file', content: 'x' }],
    ['NotebookEdit', { notebook_path: 'secrets/deep/old.ipynb', cell_id: 'c1', new_source: 'x' }],
  ])('is not reached by %s %j, in any mode', async (name, input) => {
    for (const mode of ['default', 'acceptEdits', 'bypassPermissions']) {
      const stage = open({ mode })
      symlinkSync('secrets/key.txt', stage.path('link-to-file'))
      symlinkSync('secrets', stage.path('link-to-folder'))
      symlinkSync('link-to-folder', stage.path('chain'))
      const call = await stage.one(name, input)
      expect([mode, codeOf(call)]).toEqual([mode, 'denied_rule'])
      expect(logOf(stage)).not.toContain(SECRET)
      expect(readFileSync(stage.path('secrets', 'key.txt'), 'utf8')).toBe(`${SECRET}\n`)
    }
  })

  test('is known by the name of a link that the rule names, and by where that leads', async () => {
    const stage = open({ permissions: { rules: { deny: ['Read(vault/**)', 'Read(**/*.pem)'] } } })
    symlinkSync('secrets', stage.path('vault'))
    symlinkSync('secrets/key.txt', stage.path('a.pem'))
    for (const file_path of ['vault/key.txt', 'secrets/key.txt', 'a.pem'])
      expect([file_path, codeOf(await stage.one('Read', { file_path }))]).toEqual([file_path, 'denied_rule'])
  })

  test('is not named as a guess for a name that does not exist', async () => {
    const stage = open({ permissions: { rules: { deny: ['Read(src/hidden.txt)'] } } })
    writeFileSync(stage.path('src', 'hidden.txt'), SECRET)
    const text = textOf(await stage.one('Read', { file_path: 'src/hidden.md' }))
    expect(text).toContain('does not exist')
    expect(text).not.toContain('hidden.txt')
  })

  test('is not attached as instructions to another file', async () => {
    const stage = open({ permissions: { rules: { deny: ['Read(**/AGENTS.md)'] } } })
    writeFileSync(stage.path('src', 'AGENTS.md'), SECRET)
    const text = textOf(await stage.one('Read', { file_path: 'src/a.txt' }))
    expect(text).toContain('public needle')
    expect(text).not.toContain(SECRET)
  })

  test('that a rule asks about is read after an approval, and left out by a search around it', async () => {
    const stage = open({ permissions: { rules: { ask: ['Read(secrets/**)'] } } })
    const search = { pattern: 'TOP', output_mode: 'content' }
    expect(textOf(await stage.one('Grep', search))).not.toContain(SECRET)
    const call = await stage.one('Grep', { ...search, path: 'secrets' })
    expect(call.approval?.decision).toBeUndefined()
    stage.approve(call)
    await stage.settle()
    expect(textOf(stage.state().calls[0])).toContain(SECRET)
  })

  test('is another one than its hard link, which no rule can see', async () => {
    const stage = open()
    linkSync(stage.path('secrets', 'key.txt'), stage.path('copy.txt'))
    expect(textOf(await stage.one('Read', { file_path: 'copy.txt' }))).toContain(SECRET)
  })

  test('is found in another case where the file system takes both for one', async () => {
    const stage = open({ permissions: { rules: { deny: ['Read(src/key.txt)'] } } })
    writeFileSync(stage.path('src', 'key.txt'), SECRET)
    // Two names of one file are what such a file system shows.
    linkSync(stage.path('src', 'key.txt'), stage.path('src', 'KEY.TXT'))
    expect(codeOf(await stage.one('Read', { file_path: 'src/KEY.TXT' }))).toBe('denied_rule')
    writeFileSync(stage.path('src', 'A.TXT'), 'another file')
    expect(textOf(await stage.one('Read', { file_path: 'src/A.TXT' }))).toContain('another file')
  })
})

describe('a search around withheld files', () => {
  const tools = [...createBuiltinTools().filter(({ name }) => !/^(Grep|Glob)$/.test(name))]
  const around = (more: Partial<StageOptions> = {}): Stage =>
    open({ tools: [...tools, createGrepTool(), createGlobTool()], ...more })

  test.each(['content', 'files_with_matches', 'count'])('leaves them out of %s and says so', async mode => {
    const stage = around()
    const text = textOf(await stage.one('Grep', { pattern: 'TOP|needle', output_mode: mode }))
    expect(text).toContain('a.txt')
    expect(text).not.toContain('key.txt')
    expect(text).toContain('(Files that permission rules withhold are left out: Read(secrets/**))')
    expect(logOf(stage)).not.toContain(SECRET)
  })

  test('answers the same whatever they hold', async () => {
    const answers = await Promise.all(
      ['TOP-SECRET', 'nothing like it'].map(async pattern => {
        const stage = around()
        const call = await stage.one('Grep', { pattern, output_mode: 'count' })
        return JSON.stringify([
          textOf(call),
          stage.events('tool.completed').map(({ structured }) => structured),
        ]).replaceAll(stage.dir, '')
      }),
    )
    expect(answers[0]).toBe(answers[1])
  })

  test('is not cut by what they hold', async () => {
    const stage = around()
    writeFileSync(stage.path('secrets', 'big.txt'), `${'needle '.repeat(60)}\n`.repeat(20_000))
    const text = textOf(await stage.one('Grep', { pattern: 'needle', output_mode: 'content' }))
    expect(text).toContain('public needle')
    expect(text).not.toContain('Too much')
  })

  test('finds them by other characters than ASCII as little', async () => {
    const stage = around()
    writeFileSync(stage.path('secrets', 'latin.txt'), Buffer.from('caf\xe9 secret\n', 'latin1'))
    const call = await stage.one('Grep', { pattern: 'café', output_mode: 'content' })
    expect(textOf(call)).not.toContain('latin.txt')
  })

  test('names them neither by Glob nor by LS', async () => {
    const stage = around()
    for (const [name, input] of [
      ['Glob', { pattern: '**/*' }],
      ['LS', { path: '.' }],
    ] as const) {
      const text = textOf(await stage.one(name, input))
      expect(text).toContain('a.txt')
      expect(text).not.toMatch(/key\.txt|old\.ipynb/)
      expect(text).toContain('Read(secrets/**)')
    }
  })

  test('says nothing where no rule reaches', async () => {
    const stage = around()
    expect(textOf(await stage.one('Grep', { pattern: 'needle', path: 'src' }))).not.toContain('withhold')
  })

  test('leaves them out when permissions are bypassed, and after an approval', async () => {
    const free = around({ mode: 'bypassPermissions' })
    expect(textOf(await free.one('Grep', { pattern: 'TOP', output_mode: 'content' }))).not.toContain(SECRET)
    const asked = around({ permissions: { rules: { deny: ['Read(secrets/**)'], ask: ['Grep'] } } })
    const call = await asked.one('Grep', { pattern: 'TOP|needle', output_mode: 'content' })
    asked.approve(call)
    await asked.settle()
    expect(textOf(asked.state().calls[0])).toContain('needle')
    expect(logOf(asked)).not.toContain(SECRET)
  })
})

describe('a workspace that is reached through a link', () => {
  /** The session knows the link alone. */
  function linked(rule: (link: string, real: string) => string, mode = 'default'): Stage {
    const rules: { deny: string[] } = { deny: [] }
    const stage = createStage({ tools: createBuiltinTools(), permissions: { rules }, mode })
    stages.push(stage)
    const real = join(stage.dir, 'real')
    renameSync(stage.workspace, real)
    symlinkSync(real, stage.workspace)
    mkdirSync(join(real, 'secrets'))
    writeFileSync(join(real, 'secrets', 'key.txt'), SECRET)
    // Rules are read when the system is made.
    rules.deny.push(rule(stage.workspace, real))
    stage.restart()
    return stage
  }

  test.each([
    ['a relative one', () => 'Read(secrets/**)'],
    ['one by the link', (link: string) => `Read(${link}/secrets/**)`],
    ['one by the real path', (_: string, real: string) => `Read(${real}/secrets/**)`],
  ])('keeps its rules: %s', async (_, rule) => {
    const stage = linked(rule)
    for (const [name, input] of [
      ['Read', { file_path: 'secrets/key.txt' }],
      ['Read', { file_path: join(stage.dir, 'real', 'secrets', 'key.txt') }],
      ['LS', { path: 'secrets' }],
      ['Bash', { command: 'cat secrets/key.txt' }],
      ['Bash', { command: `cat ${join(stage.dir, 'real', 'secrets', 'key.txt')}` }],
    ] as const)
      expect([name, input, codeOf(await stage.one(name, input))]).toEqual([name, input, 'denied_rule'])
    await stage.one('Grep', { pattern: 'TOP', output_mode: 'content' })
    expect(logOf(stage)).not.toContain(SECRET)
  })

  test('an allowance is for the workspace, not for what a link inside of it leads to', async () => {
    const stage = createStage({
      tools: createBuiltinTools(),
      permissions: { rules: { allow: ['Edit(docs/**)'] } },
    })
    stages.push(stage)
    const outside = join(stage.dir, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, stage.path('docs'))
    const call = await stage.one('Write', { file_path: 'docs/a.txt', content: 'x' })
    expect(call.approval).toBeDefined()
  })
})

describe('a folder whose name looks like a pattern', () => {
  test('keeps its rules', async () => {
    const stage = open({ permissions: { rules: { deny: ['Read(app/[id]/(group)/**)'] } } })
    mkdirSync(stage.path('app', '[id]', '(group)'), { recursive: true })
    writeFileSync(stage.path('app', '[id]', '(group)', 'x.txt'), SECRET)
    expect(codeOf(await stage.one('Read', { file_path: 'app/[id]/(group)/x.txt' }))).toBe('denied_rule')
  })
})

describe('a hook', () => {
  test('that changes the arguments after the model wrote them has them judged', async () => {
    const answer = JSON.stringify({ input: { file_path: 'secrets/key.txt' }, decision: 'allow' })
    const command = `cat >/dev/null; printf '%s' '${answer}'`
    const stage = open({ hooks: { before_tool: [{ matcher: 'Read', command }] } })
    expect(codeOf(await stage.one('Read', { file_path: 'src/a.txt' }))).toBe('denied_rule')
    expect(logOf(stage)).not.toContain(SECRET)
  })
})

describe('a tool whose reading is not seen', () => {
  const reader = defineTool({
    name: 'FetchFile',
    description: 'reads a file by its own means',
    input: z.looseObject({}),
    isReadOnly: () => true,
    async *call() {
      yield { type: 'result', output_text: SECRET }
    },
  })
  const ask = async (input: unknown, mode = 'default') => {
    const stage = open({ tools: [reader], mode })
    return await stage.one('FetchFile', input)
  }

  test.each([
    { path: 'secrets/key.txt' },
    { path: './secrets/../secrets/key.txt' },
    { path: 'link-to-folder/key.txt' },
    { uri: 'file://WORKSPACE/secrets/key.txt' },
    { uri: 'file://WORKSPACE/link-to-folder/key.txt' },
    { uri: 'file://localhostWORKSPACE/secrets/key%2Etxt' },
    { uri: 'repo://secrets/key.txt' },
    { deep: [{ list: [['secrets/key.txt']] }] },
    { 'secrets/key.txt': true },
  ])('is denied arguments that name a withheld file: %j', async input => {
    const stage = open({ tools: [reader], mode: 'bypassPermissions' })
    symlinkSync('secrets', stage.path('link-to-folder'))
    const text = JSON.stringify(input).replaceAll('WORKSPACE', stage.workspace)
    const call = await stage.one('FetchFile', JSON.parse(text) as unknown)
    expect(codeOf(call)).toBe('denied_rule')
  })

  test('is asked about for a folder around one, and for more arguments than can be compared', async () => {
    for (const input of [
      { path: '.' },
      { path: '/' },
      { all: Array.from({ length: 20_000 }, (_, i) => `f${i}`) },
    ])
      expect((await ask(input)).approval).toBeDefined()
  })

  test('is left alone otherwise, also with deep and odd arguments', async () => {
    let deep: unknown = 'end'
    for (let i = 0; i < 90; i++) deep = { deep }
    for (const input of [{ path: 'src/a.txt' }, { query: 'secret' }, { text: 'a\0b' }, { deep }, {}])
      expect(textOf(await ask(input))).toBe(SECRET)
  })
})
