/**
 * The Python client of the streaming chat API's own documentation, unmodified, against the
 * running server. The document is looked for beside the checkout; the client talks to port 8000,
 * which a wrapper leads to the port of this test.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { inFolder, launch } from './launch.ts'

const documents =
  process.env['TOOLWIRE_API_DOCUMENTS'] ?? fileURLToPath(new URL('../../../../shared/seeds', import.meta.url))

/** Leads connections for port 8000 to the port given, then runs the client as a program. */
const WRAPPER = `
import runpy, socket, sys
real = socket.create_connection
real_info = socket.getaddrinfo
port = int(sys.argv[1])
socket.getaddrinfo = lambda host, p, *a, **k: real_info("127.0.0.1" if p == 8000 else host, port if p == 8000 else p, *a, **k)
runpy.run_path(sys.argv[2], run_name="__main__")
`

function pythonClient(): string | undefined {
  if (!existsSync(documents)) return undefined
  const name = readdirSync(documents).find(file => file.startsWith('000_'))
  if (!name) return undefined
  const text = readFileSync(join(documents, name), 'utf8')
  return [...text.matchAll(/```python\n([\s\S]*?)```/g)]
    .map(match => match[1])
    .find(code => code?.includes('__main__'))
}

/** A Python that can import requests. */
function python(): string | undefined {
  return ['python3', '/usr/bin/python3', 'python'].find(
    command => spawnSync(command, ['-c', 'import requests']).status === 0,
  )
}

const code = pythonClient()
const command = python()
if (process.env['CI'] && code && !command)
  throw new Error('python3 with requests is needed to run the documented client')

if (code && command)
  test('the documented Python client prints its whole dialogue, in Chinese, with statistics', async () => {
    await inFolder(async dir => {
      const server = await launch(dir)
      try {
        writeFileSync(join(dir, 'client.py'), code)
        writeFileSync(join(dir, 'wrapper.py'), WRAPPER)
        const out = execFileSync(command, ['wrapper.py', new URL(server.url).port, 'client.py'], {
          cwd: dir,
          encoding: 'utf8',
          env: { ...process.env, PYTHONIOENCODING: 'utf-8', PYTHONDONTWRITEBYTECODE: '1' },
        })
        expect(out).toMatch(
          /^User: 帮我看看当前目录下有什么文件\n\nClaude: \[Session: [0-9a-f]{8}\.\.\.\]\nClaude: \S/,
        )
        expect(out).toMatch(
          /🔧 Calling tool: Bash\n {3}Building parameters\.\.\.\.+\n {3}Tool: Bash\n {3}Input: \{/,
        )
        expect(out).toContain('"command": "ls -la"')
        expect(out).toMatch(/Status: ⏳ Executing\.\.\.\n {3}Status: ✅ Success\n {3}Result:\n {6}total \d+/)
        expect(out).toMatch(/\nClaude: 当前目录下有以下文件：[\s\S]*README\.md/)
        expect(out).toMatch(
          /📊 Statistics:\n {3}💰 Cost: \$0\.\d{4}\n {3}⏱ {2}Duration: \d+ms\n {3}🔄 Turns: 2\n {3}📝 Tokens: [1-9]\d* in \/ [1-9]\d* out/,
        )
        expect(out).toMatch(/✓ Done\n\n$/)
      } finally {
        await server.stop()
      }
    })
  })

test('the documented client is looked for where it would be', () => {
  expect(documents.length).toBeGreaterThan(0)
})
