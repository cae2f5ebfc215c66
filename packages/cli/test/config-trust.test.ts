/** A configuration file that is found in a folder runs nothing before the user allows its content. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConfigFile } from '../src/config-file.ts'
import { requireTrust, setTrust } from '../src/config-trust.ts'
import { inFolder, launch, run } from './launch.ts'

/** The file is found, not named. */
const FOUND = { TOOLWIRE_CONFIG: '' }
const MARK = 'ran'

/** A module that leaves a mark when it is loaded. */
const marking = (dir: string): string =>
  `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(join(dir, MARK))}, '')\nexport const models = {}\n`

const write = (dir: string, config: unknown): void =>
  writeFileSync(join(dir, 'toolwire.config.json'), JSON.stringify(config))

describe('a start in a folder with a configuration file', () => {
  const touch = (dir: string): string => `touch ${join(dir, MARK)}`
  test.each([
    ['modelsModule', () => ({ modelsModule: 'code.mjs' })],
    ['tools', () => ({ tools: ['./code.mjs'] })],
    ['hooks', (dir: string) => ({ hooks: { before_tool: [{ command: touch(dir) }] } })],
    ['mcpServers', (dir: string) => ({ mcpServers: { evil: { command: 'sh', args: ['-c', touch(dir)] } } })],
    ['permissionMode', () => ({ permissionMode: 'bypassPermissions' })],
    ['sandbox', () => ({ sandbox: 'off' })],
    ['permissions', () => ({ permissions: { allow: ['Bash(rm:*)'] } })],
    ['model', () => ({ model: 'replay:said.json' })],
    ['fallbackModels', () => ({ fallbackModels: ['demo', 'replay:said.json'] })],
    ['fallbackModels', () => ({ fallbackModels: 'demo, replay:/dev/zero' })],
  ] as const)('runs nothing of %s without consent, and says how to give it', async (name, config) => {
    await inFolder(async dir => {
      writeFileSync(join(dir, 'code.mjs'), marking(dir))
      write(dir, config(dir))
      const end = await run(['--port', '0'], dir, FOUND)
      expect(end.code).toBe(2)
      expect(end.stderr).toMatch(/^toolwire: [^\n]+\n$/)
      for (const word of [name, 'toolwire trust', '--trust-config', '--config'])
        expect(end.stderr).toContain(word)
      expect(existsSync(join(dir, MARK))).toBe(false)
      expect(existsSync(join(dir, '.toolwire'))).toBe(false)
    })
  })

  test.each([
    ['db', 'prune', '--older-than', '1'],
    ['db', 'backup', '--out', 'b.jsonl'],
    ['db', 'restored'],
    ['keys', 'list'],
    ['keys', 'create'],
    ['rules', 'list'],
  ])('opens no data that the file chooses with %s %s', async (...line) => {
    await inFolder(async dir => {
      write(dir, { data: join(dir, 'other') })
      const end = await run(line, dir, FOUND)
      expect(end.code).toBe(2)
      expect(end.stderr).toContain('toolwire trust')
      expect(existsSync(join(dir, 'other'))).toBe(false)
    })
  })

  test('needs no consent for settings that run nothing', async () => {
    await inFolder(async dir => {
      write(dir, { port: 0, maxTurns: 3, demoPaceMs: 0 })
      const server = await launch(dir, [], FOUND)
      expect((await server.stop()).code).toBe(0)
    })
  })

  test('uses the file after toolwire trust, until it or a file that it names changes', async () => {
    await inFolder(async dir => {
      writeFileSync(join(dir, 'code.mjs'), marking(dir))
      write(dir, { modelsModule: 'code.mjs' })
      const trusted = await run(['trust'], dir, FOUND)
      expect(trusted.stdout).toContain('modelsModule: "code.mjs"')
      expect(existsSync(join(dir, MARK))).toBe(false)
      const server = await launch(dir, ['--port', '0'], FOUND)
      await server.stop()
      expect(existsSync(join(dir, MARK))).toBe(true)
      writeFileSync(join(dir, 'code.mjs'), `${marking(dir)}// changed\n`)
      expect((await run(['--port', '0'], dir, FOUND)).code).toBe(2)
    })
  })

  test('uses a file that is named, and one with --trust-config, which is remembered', async () => {
    await inFolder(async dir => {
      writeFileSync(join(dir, 'code.mjs'), marking(dir))
      write(dir, { modelsModule: 'code.mjs' })
      const named = await launch(dir, ['--port', '0', '--config', 'toolwire.config.json'], FOUND)
      await named.stop()
      expect((await run(['--port', '0'], dir, FOUND)).code).toBe(2)
      const flagged = await launch(dir, ['--port', '0', '--trust-config'], FOUND)
      await flagged.stop()
      const again = await launch(dir, ['--port', '0'], FOUND)
      await again.stop()
      expect((await run(['trust', '--remove'], dir, FOUND)).stdout).toContain('no longer allowed')
      expect((await run(['--port', '0'], dir, FOUND)).code).toBe(2)
    })
  })

  test('reads no file that never ends', async () => {
    await inFolder(async dir => {
      symlinkSync('/dev/zero', join(dir, 'toolwire.config.json'))
      expect((await run(['--port', '0'], dir, FOUND)).stderr).toContain('at most 1 MiB')
      rmSync(join(dir, 'toolwire.config.json'))
      execFileSync('mkfifo', [join(dir, 'toolwire.config.json')])
      expect((await run(['--port', '0'], dir, FOUND)).stderr).toContain('at most 1 MiB')
    })
  })
})

describe('consent', () => {
  let dir = ''
  let cleanUp: () => void
  beforeEach(async () => {
    const left = Promise.withResolvers<void>()
    const ready = Promise.withResolvers<string>()
    void inFolder(async folder => {
      ready.resolve(folder)
      await left.promise
    })
    dir = await ready.promise
    mkdirSync(join(dir, 'project'))
    cleanUp = left.resolve
  })
  afterEach(() => cleanUp())

  const project = (): string => join(dir, 'project')
  const sources = () => ({ flags: {}, env: { XDG_CONFIG_HOME: join(dir, 'home') }, cwd: project() })
  const asked: string[] = []
  const check = async (answer?: boolean): Promise<'used' | 'refused'> => {
    const ask = async (question: string): Promise<boolean> => {
      asked.push(question)
      return answer === true
    }
    const file = readConfigFile(sources())
    return await requireTrust(file, { ...sources(), ...(answer === undefined ? {} : { ask }) }).then(
      () => 'used' as const,
      () => 'refused' as const,
    )
  }

  test('is asked for once per content', async () => {
    write(project(), { sandbox: 'off' })
    expect(await check()).toBe('refused')
    expect(await check(false)).toBe('refused')
    expect(await check(true)).toBe('used')
    expect(await check()).toBe('used')
    write(project(), { sandbox: 'off', permissionMode: 'bypassPermissions' })
    expect(await check()).toBe('refused')
  })

  test('is kept where the folder cannot bring it along, for its owner alone', async () => {
    write(project(), { sandbox: 'off' })
    await check(true)
    const list = join(dir, 'home', 'toolwire', 'trusted-config.json')
    expect(Object.keys(JSON.parse(readFileSync(list, 'utf8')))).toEqual([
      join(project(), 'toolwire.config.json'),
    ])
    expect(statSync(list).mode & 0o777).toBe(0o600)
    expect(statSync(join(dir, 'home', 'toolwire')).mode & 0o777).toBe(0o700)
    writeFileSync(list, 'damaged')
    expect(await check()).toBe('refused')
    expect(existsSync(join(project(), '.config'))).toBe(false)
  })

  test('ends when a script, tool or module in the folder changes, and not when data do', async () => {
    const files = ['models.mjs', 'tools/one.js', 'hook.sh', 'server.py', 'check', 'hook.mjs']
    mkdirSync(join(project(), 'tools'))
    for (const file of files) writeFileSync(join(project(), file), 'before')
    chmodSync(join(project(), 'check'), 0o755)
    writeFileSync(join(project(), 'notes.db'), 'before')
    write(project(), {
      modelsModule: './models.mjs',
      tools: ['tools'],
      hooks: { before_tool: [{ command: 'FOO=1 sh ./hook.sh --x' }], after_tool: [{ module: './hook.mjs' }] },
      mcpServers: { a: { command: 'python3', args: ['server.py', 'notes.db'] } },
      diagnostics: [{ glob: '*.ts', command: './check' }],
      workspace: '.',
    })
    for (const file of files) {
      setTrust(readConfigFile(sources()), sources(), true)
      expect(await check()).toBe('used')
      writeFileSync(join(project(), file), `changed ${file}`)
      expect(await check(), file).toBe('refused')
    }
    setTrust(readConfigFile(sources()), sources(), true)
    writeFileSync(join(project(), 'tools/two.js'), 'new')
    expect(await check(), 'a new tool').toBe('refused')
    setTrust(readConfigFile(sources()), sources(), true)
    writeFileSync(join(project(), 'notes.db'), 'after')
    writeFileSync(join(project(), 'unnamed.txt'), 'new')
    expect(await check()).toBe('used')
  })

  test('ends when a script changes that another one loads, however it names it', async () => {
    const files: Readonly<Record<string, string>> = {
      'tools/one.ts': "import { a } from '../lib/a.js'\nconst b = await import(`./b`)",
      'lib/a.ts': "export * from './deep'",
      'lib/deep/index.ts': '',
      'tools/b.mjs': "require('./c')",
      'tools/c.cjs': '',
      'package.json': '{"scripts":{"check":"node lib/check.cjs --x"}}',
      'lib/check.cjs': '',
      Makefile: 'all:\n\techo',
      'hook.sh': '. "$(dirname "$0")"/common.sh',
      'common.sh': '',
      'server.py': 'from parts.reader import read\nimport helper',
      'parts/reader.py': '',
      'helper.py': '',
      'loop.mjs': "import './loop.mjs'; import './tools/b.mjs'; import 'node_modules/x/x.js'",
    }
    for (const folder of ['tools', 'lib/deep', 'parts', 'node_modules/x'])
      mkdirSync(join(project(), folder), { recursive: true })
    for (const [file, text] of Object.entries(files)) writeFileSync(join(project(), file), text)
    for (const other of ['other.ts', 'lib/other.ts', 'node_modules/x/x.js'])
      writeFileSync(join(project(), other), '')
    write(project(), {
      tools: ['tools/one.ts'],
      modelsModule: './loop.mjs',
      hooks: { before_tool: [{ command: 'sh hook.sh && npm run check' }], after_tool: [{ command: 'make' }] },
      mcpServers: { a: { command: 'python3', args: ['server.py'] } },
    })
    for (const [file, text] of Object.entries(files)) {
      setTrust(readConfigFile(sources()), sources(), true)
      expect(await check()).toBe('used')
      writeFileSync(join(project(), file), `${text}\n`)
      expect(await check(), file).toBe('refused')
    }
    setTrust(readConfigFile(sources()), sources(), true)
    for (const other of ['other.ts', 'lib/other.ts', 'node_modules/x/x.js'])
      writeFileSync(join(project(), other), 'changed')
    expect(await check()).toBe('used')
  })

  test('is asked for with everything to judge, and nothing that could change the terminal', async () => {
    write(project(), { hooks: { before_tool: [{ command: 'echo \u001b[2J\u202egnp \u009b' }] } })
    asked.length = 0
    await check(false)
    expect(asked[0]).toContain('hooks: {"before_tool":[{"command":"echo')
    expect(asked[0]?.replaceAll('\n', '')).not.toMatch(/\p{C}/u)
  })
})
