/** What a newcomer meets: the start-up line, and one sentence for everything that can go wrong. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFolder, launch, run } from './launch.ts'

const ONE_SENTENCE = /^toolwire: [^\n]+\n$/

test('starts with no key and no setting: one line with address, model, data and workspace', async () => {
  await inFolder(async dir => {
    const server = await launch(dir)
    expect(server.startLine).toMatch(
      /^Toolwire \d+\.\d+\.\d+ on http:\/\/127\.0\.0\.1:\d+ · model demo · data \S+ · workspace \S+\n$/,
    )
    expect(existsSync(join(dir, '.toolwire', 'workspace', 'README.md'))).toBe(true)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    const end = await server.stop()
    expect(end).toMatchObject({ code: 0, stderr: '' })
  })
})

test('a port in use: says so, names the way out, code 3', async () => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => blocker.once('listening', resolve))
  const address = blocker.address()
  const port = typeof address === 'object' && address ? String(address.port) : ''
  const end = await inFolder(dir => run(['--port', port], dir))
  blocker.close()
  expect(end.code).toBe(3)
  expect(end.stderr).toMatch(ONE_SENTENCE)
  expect(end.stderr).toContain(`${port} is in use`)
  expect(end.stderr).toContain('--port')
})

test.each([
  [['--port', 'abc'], 'port must be a whole number from 0 to 65535, but is "abc" (flag --port)'],
  [['--port', '70000'], 'port must be a whole number'],
  [['--permission-mode', 'yolo'], 'permissionMode must be one of default, acceptEdits'],
  [['--engine', 'v8'], 'engine must be native or claude-agent-sdk'],
  [['--config', 'missing.json'], 'does not exist; check --config'],
  [['--model', 'no-such-model'], 'no-such-model'],
] as const)('a bad value %j: one sentence, code 2', async (args, words) => {
  const end = await inFolder(dir => run([...args], dir))
  expect(end.code).toBe(2)
  expect(end.stderr).toMatch(ONE_SENTENCE)
  expect(end.stderr).toContain(words)
})

test.each([
  [['strat'], "unknown command 'strat'; did you mean start?"],
  [['strat', '--help'], "unknown command 'strat'; did you mean start?"],
  [['help', 'doctr'], "unknown command 'doctr'; did you mean doctor?"],
  [['key', 'list'], "unknown command 'key'; did you mean keys?"],
  [['keys', 'lst'], "unknown command 'lst'; did you mean list?"],
  [['help', 'keys', 'revok'], "unknown command 'revok'; did you mean revoke?"],
  [['xyzzyxyzzy'], "unknown command 'xyzzyxyzzy'; see `toolwire help`."],
  [['a\nb\u001b[2J'], "unknown command 'a"],
  [['start', 'doctor'], "too many arguments for 'start'"],
  [['--prot', '1'], "unknown option '--prot'; did you mean --port?"],
  [['doctor', '--jsn'], "unknown option '--jsn'; did you mean --json?"],
  [['keys', 'revoke'], "missing required argument 'id'; see `toolwire help`."],
  [['--port'], "option '--port <number>' argument missing; see `toolwire help`."],
] as const)('unknown words %j: one sentence with a suggestion, code 2', async (args, words) => {
  const end = await inFolder(dir => run([...args], dir))
  expect(end).toMatchObject({ code: 2, stdout: '' })
  expect(end.stderr).toMatch(ONE_SENTENCE)
  expect(end.stderr).toContain(words)
  expect(end.stderr).not.toContain('\u001b')
})

test('an unknown command of 100,000 characters is rejected like any other', async () => {
  const end = await inFolder(dir => run(['x'.repeat(100_000)], dir))
  expect(end.code).toBe(2)
  expect(end.stderr.startsWith("toolwire: unknown command 'xxx")).toBe(true)
})

test.each([
  [['help'], 'Usage: toolwire [options]'],
  [['help', 'keys', 'revoke'], 'Usage: toolwire keys revoke'],
  [['keys', 'help'], 'Usage: toolwire keys '],
  [['--port', '1', '--help'], 'Usage: toolwire start'],
  [['--version'], '0.'],
] as const)('%j explains itself, code 0', async (args, words) => {
  const end = await inFolder(dir => run([...args], dir))
  expect(end).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(words) })
})

test.each([
  ['{', 'cannot be read as JSON'],
  ['[]', 'must hold one JSON object'],
  ['{"prot": 1}', 'unknown setting "prot"'],
  ['{"port": "x"}', '"port" in'],
])('a bad configuration file %s: one sentence, code 2', async (text, words) => {
  const end = await inFolder(async dir => {
    writeFileSync(join(dir, 'toolwire.config.json'), text)
    return await run([], dir)
  })
  expect(end.code).toBe(2)
  expect(end.stderr).toMatch(ONE_SENTENCE)
  expect(end.stderr).toContain(words)
})

test('flags win over the environment, the environment over the file, the file over defaults', async () => {
  await inFolder(async dir => {
    writeFileSync(
      join(dir, 'toolwire.config.json'),
      JSON.stringify({ data: 'from-file', port: 1, host: 'bad host' }),
    )
    const server = await launch(dir, ['--port', '0'], { TOOLWIRE_PORT: '2', TOOLWIRE_HOST: '127.0.0.1' })
    expect(server.startLine).toContain('from-file')
    expect(server.startLine).toContain('http://127.0.0.1:')
    await server.stop()
  })
})

test('a data folder that cannot be used: says which and what to do, code 4', async () => {
  const end = await inFolder(async dir => {
    writeFileSync(join(dir, 'file'), '')
    return await run(['--port', '0', '--data', 'file/sub'], dir)
  })
  expect(end.code).toBe(4)
  expect(end.stderr).toMatch(ONE_SENTENCE)
  expect(end.stderr).toContain('--data')
})

test('a data folder that another process uses: says so, code 4', async () => {
  await inFolder(async dir => {
    const first = await launch(dir)
    const second = await run(['--port', '0'], dir)
    expect(second.code).toBe(4)
    expect(second.stderr).toMatch(ONE_SENTENCE)
    expect((await first.stop()).code).toBe(0)
  })
})

test('a workspace that is no folder, or the home folder: refused, code 5', async () => {
  await inFolder(async dir => {
    const missing = await run(['--port', '0', '--workspace', 'nowhere'], dir)
    expect(missing.code).toBe(5)
    expect(missing.stderr).toMatch(ONE_SENTENCE)
    const home = await run(['--port', '0', '--workspace', '~'], dir)
    expect(home.code).toBe(5)
    expect(home.stderr).toContain('home folder')
  })
})

test('an address that others can reach needs an API key', async () => {
  const end = await inFolder(dir => run(['--port', '0', '--host', '0.0.0.0'], dir))
  expect(end.code).toBe(2)
  expect(end.stderr).toMatch(ONE_SENTENCE)
  expect(end.stderr).toContain('TOOLWIRE_API_KEYS')
})

test('the workspace of a stopped server is kept as the user left it', async () => {
  await inFolder(async dir => {
    const first = await launch(dir)
    await first.stop()
    const file = join(dir, '.toolwire', 'workspace', 'mine.txt')
    writeFileSync(file, 'mine')
    mkdirSync(join(dir, 'empty'))
    chmodSync(file, 0o644)
    const second = await launch(dir)
    await second.stop()
    expect(existsSync(file)).toBe(true)
  })
})
