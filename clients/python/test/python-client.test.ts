/** The Python package against the real server: its own tests, and the examples of its documents. Needs python3. */
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { realServer } from '../../../packages/client/test/real-server.ts'

const HERE = new URL('..', import.meta.url)
const path = (relative: string): string => fileURLToPath(new URL(relative, HERE))
const read = (relative: string): string => readFileSync(new URL(relative, HERE), 'utf8')

const url = realServer()
/** One with httpx where there is one: a test needs it. */
const PYTHON =
  ['python3', '/usr/bin/python3'].find(
    command =>
      spawnSync(command, ['-c', 'import sys, httpx; assert sys.version_info >= (3, 10)']).status === 0,
  ) ?? 'python3'
beforeAll(() => {
  const found = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))'])
  if (found.status !== 0) throw new Error('These tests need python3, version 3.10 or later, on the PATH.')
})

/** Runs it to its end, without blocking this process. */
async function python(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn(PYTHON, args, {
    cwd: path('tests'),
    env: {
      PATH: process.env['PATH'],
      PYTHONPATH: path('src'),
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONIOENCODING: 'utf-8',
      TOOLWIRE_URL: url(),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      out += text
    })
  const code = await new Promise<number | null>(resolve => child.on('close', resolve))
  return { code, out }
}

test('every test of the Python package passes against the real server', async () => {
  const written = readdirSync(path('tests'))
    .filter(name => name.startsWith('test_'))
    .flatMap(name => read(`tests/${name}`).match(/^ {4}(?:async )?def test_/gm) ?? []).length
  const { code, out } = await python(['-m', 'unittest', '-v'])
  expect(out).toContain(`Ran ${written} tests`)
  expect([code, out.trim().split('\n').at(-1)], out).toEqual([0, expect.stringMatching(/^OK/)])
  expect(written).toBeGreaterThan(40)
})

const examples = ['README.md', '../../docs/python.md'].flatMap(file =>
  [...read(file).matchAll(/```python\n([\s\S]*?)```/g)].map(([, code = ''], n) => ({
    name: `${file}, example ${n + 1}`,
    code,
  })),
)

test.each(examples)('a documented example runs verbatim: $name', async ({ code }) => {
  const ran = await python(['-c', code.replaceAll('http://localhost:8000', url())])
  expect(ran.code, ran.out).toBe(0)
  expect(ran.out.trim()).not.toBe('')
})

test('one conversation can be had from the command line', async () => {
  const { code, out } = await python(['-m', 'toolwire', 'list the files', '--url', url()])
  expect(code, out).toBe(0)
  expect(out).toMatch(/🔧 Bash .*"ls -la"[\s\S]*README\.md[\s\S]*🔄 2 turns/)
})

test('an error is reported in one line and by the exit code', async () => {
  const { code, out } = await python(['-m', 'toolwire', 'hello', '--url', url(), '--session', 'no-such'])
  expect(code).toBe(1)
  expect(out).toContain('session_not_found: ')
})
