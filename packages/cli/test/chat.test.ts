import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../src/testing.ts'
import { run } from './launch.ts'
import { openTerminal, type Terminal } from './pseudo-terminal.ts'

const SAMPLE = fileURLToPath(new URL('../sample-workspace', import.meta.url))
/** The prompt takes no decision in its first 300 ms; this waits them out. */
const GUARD_MS = 400

let server: TestServer
let workspace: string
let open: Terminal[] = []

beforeAll(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'toolwire-chat-'))
  server = await startTestServer({ workspace })
})
beforeEach(() => cpSync(SAMPLE, workspace, { recursive: true }))
afterEach(async () => {
  for (const terminal of open) terminal.kill()
  await Promise.all(open.map(terminal => terminal.ended))
  open = []
})
afterAll(async () => {
  await server.close()
  rmSync(workspace, { recursive: true, force: true })
})

async function chat(
  args: readonly string[] = [],
  options: { env?: Record<string, string>; columns?: number } = {},
) {
  const terminal = openTerminal(['chat', '--url', server.url, ...args], { cwd: workspace, ...options })
  open.push(terminal)
  await terminal.see('/help lists commands')
  return terminal
}

const greet = () => readFileSync(join(workspace, 'src/greet.ts'), 'utf8')

describe('toolwire chat in a terminal', () => {
  test('streams a response with its tool calls, and names the session when it is left', async () => {
    const terminal = await chat()
    terminal.type('Which day had the most visitors?\r')
    await terminal.see(/✓ Glob/)
    await terminal.see(/✓ Read/)
    await terminal.see('Sat had the most visitors: **342**')
    terminal.type('\u0004')
    await terminal.see(/Resume with: toolwire chat .*--session \S+/)
    expect(await terminal.ended).toBe(0)
  })

  test('shows the change before an approval, and runs it after y', async () => {
    const terminal = await chat()
    terminal.type('replace Hello with Welcome in src/greet.ts\r')
    const prompt = await terminal.see(/3 - {3}return `Hello/)
    expect(prompt).toMatch(/3 \+ {3}return `Welcome/)
    await terminal.see('[y] once')
    expect(greet()).toContain('Hello')
    await sleep(GUARD_MS)
    terminal.type('\r')
    terminal.type('y')
    await terminal.see(/✓ Edit .*\+1 −1/)
    await terminal.see('I replaced')
    expect(greet()).toContain('Welcome')
  })

  test('passes the reason of a denial on', async () => {
    const terminal = await chat()
    terminal.type('replace Hello with Welcome in src/greet.ts\r')
    await terminal.see('[y] once')
    await sleep(GUARD_MS)
    terminal.type('n')
    await terminal.see('Reason')
    terminal.type('leave it alone\r')
    await terminal.see(/⊘ Edit .*leave it alone/)
    await terminal.see('I will not run Edit')
    expect(greet()).toContain('Hello')
  })

  test('lists several approvals, and allows the selected ones together', async () => {
    const terminal = await chat()
    terminal.type('把 Hello 改成「哈囉」，兩個檔案都要\r')
    await terminal.see('2 approvals: 2 Edit')
    await terminal.see('[A] list all')
    await sleep(GUARD_MS)
    terminal.type('A')
    await terminal.see('allow 2 once')
    terminal.type('v')
    await terminal.see(/\+ .*哈囉[\s\S]*\+ .*哈囉/)
    terminal.type('y')
    await terminal.see('已把「Hello」改為「哈囉」')
    expect(greet()).toContain('哈囉')
  })

  test('goes back from the list and from a reason with Esc, and the run still waits', async () => {
    const terminal = await chat()
    terminal.type('把 Hello 改成「哈囉」，兩個檔案都要\r')
    await terminal.see('[A] list all')
    await sleep(GUARD_MS)
    terminal.type('A')
    await terminal.see('allow 2 once')
    terminal.type(' ')
    await terminal.see('allow 1 once')
    terminal.type(' ')
    await terminal.see('allow 2 once')
    terminal.type('\u001b')
    await terminal.see('[y] once')
    terminal.type('n')
    await terminal.see('Reason')
    terminal.type('\u001b')
    await terminal.see('[y] once')
    terminal.type('Av')
    await terminal.see(/\+ .*哈囉[\s\S]*\+ .*哈囉/)
    terminal.type('y')
    await terminal.see('已把「Hello」改為「哈囉」')
  })

  test('asks every question, and sends the answers after a review', async () => {
    const terminal = await chat()
    terminal.type('Plan a festival page, ask me first\r')
    await terminal.see('Who is it for?')
    await sleep(GUARD_MS)
    terminal.type('2\r')
    await terminal.see('Which format do you want?')
    terminal.type('\r')
    await terminal.see('Audience: The port office')
    await terminal.see('Format: Markdown')
    terminal.type('\r')
    await terminal.see('I go by these answers')
  })

  test('stops a run with Esc', async () => {
    const terminal = await chat(['--mode', 'bypassPermissions'])
    terminal.type('run `sleep 600`\r')
    await terminal.see(/● Bash sleep 600/)
    terminal.type('\u001b')
    await terminal.see(/– Bash/)
    await terminal.see('Stopped')
  })

  test('continues a session with its approval after the terminal was lost', async () => {
    const first = await chat()
    first.type('replace Hello with Hi in src/greet.ts\r')
    await first.see('[y] once')
    const id = /(?:·|^) *(\S+) · demo/m.exec(first.plain())?.[1] ?? ''
    first.kill()
    const second = await chat(['--session', id])
    await second.see('› replace Hello with Hi in src/greet.ts')
    await second.see('[y] once')
    await sleep(GUARD_MS)
    second.type('y')
    await second.see('I replaced')
    expect(greet()).toContain('Hi')
  })

  test('ignores keys that were typed before the prompt was there', async () => {
    const terminal = await chat()
    terminal.type('replace Hello with Early in src/greet.ts\ryyyy')
    await terminal.see('[y] once')
    await sleep(GUARD_MS)
    expect(greet()).toContain('Hello')
  })

  test('has no colors with NO_COLOR, and keeps lines within a narrow terminal', async () => {
    const terminal = await chat([], { env: { NO_COLOR: '1' }, columns: 40 })
    terminal.type('帮我看看会议记录说了什么\r')
    await terminal.see('节日灯笼')
    terminal.type('/cost\r')
    await terminal.see(' out · ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: color codes are what must not be there
    expect(terminal.raw()).not.toMatch(/\u001b\[\d+m/)
  })

  test('shows control characters of tools as marks', async () => {
    const terminal = await chat(['--mode', 'bypassPermissions'])
    terminal.type("run `printf 'a\\033]0;owned\\007b\\n'; sleep 600`\r")
    await terminal.see(/│ a.*owned/)
    expect(terminal.raw()).not.toContain('\u001b]0;')
    terminal.type('\u001b')
    await terminal.see('Stopped')
  })
})

describe('toolwire run', () => {
  const command = (args: readonly string[], env: Record<string, string> = {}) =>
    run(['run', '--url', server.url, ...args], workspace, env)

  test('prints the text to standard output and the calls to standard error', async () => {
    const { code, stdout, stderr } = await command(['Which day had the most visitors?'])
    expect([code, stdout.trim().split('\n').at(-1)]).toEqual([
      0,
      'Sat had the most visitors: **342** (sales.csv).',
    ])
    expect(stderr).toMatch(/✓ Glob[\s\S]*✓ Read/)
  })

  test('gives one JSON object with --json', async () => {
    const { code, stdout } = await command(['Total boats this week', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      text: expect.stringContaining('= 37'),
      calls: [
        { name: 'Glob', state: 'success' },
        { name: 'Read', state: 'success' },
      ],
      pending: [],
      cost_usd: 0,
    })
  })

  test('never asks: a run that waits ends with its own code and the command that resumes it', async () => {
    const { code, stdout, stderr } = await command(['replace Hello with Later in src/greet.ts', '--json'])
    expect(code).toBe(6)
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'paused',
      pending: [{ kind: 'approval', name: 'Edit' }],
    })
    expect(stderr).toMatch(/Resume with: toolwire chat --url \S+ --session \S+/)
  })

  test('says in one sentence that no server answers', async () => {
    const { code, stderr } = await run(['run', '--url', 'http://127.0.0.1:9', 'hello'], workspace)
    expect([code, stderr]).toEqual([
      69,
      'toolwire: No Toolwire server answers at http://127.0.0.1:9. Start one with `toolwire start`, or name another with --url.\n',
    ])
  })

  test('chat needs a terminal', async () => {
    const { code, stderr } = await run(['chat', '--url', server.url], workspace)
    expect(code).toBe(2)
    expect(stderr).toContain('needs a terminal')
  })
})
