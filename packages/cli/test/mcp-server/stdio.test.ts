/** `toolwire mcp`: the real command as a host starts it, in both eras. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import { inFolder, run } from '../launch.ts'
import { ERAS } from './serve-mcp.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const ARGS = ['--conditions=toolwire-source', MAIN, 'mcp', '--trust-config']

const configure = (dir: string, mcpServe: object): void =>
  writeFileSync(
    join(dir, 'toolwire.config.json'),
    JSON.stringify({
      mcpServe,
      agents: { types: { guide: { description: 'Answers questions', system: 'You answer.' } } },
    }),
  )

const envOf = (dir: string) => ({ PATH: process.env['PATH'] ?? '', HOME: dir, TOOLWIRE_DEMO_PACE_MS: '0' })

it.each(ERAS)('serves tools, agents and approvals over standard input and output (%s)', async era => {
  await inFolder(async dir => {
    configure(dir, { tools: ['Read', 'Write'], agents: ['guide'] })
    const client = new Client(
      { name: 'host', version: '1' },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
      },
    )
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept',
      content: { decision: 'approve' },
    }))
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ARGS,
        cwd: dir,
        env: envOf(dir),
        stderr: 'ignore',
      }),
    )
    const { tools } = await client.listTools()
    expect(tools.map(tool => tool.name)).toEqual(['agent_guide', 'Read', 'Write'])
    expect(tools[1]?.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
    const written = await client.callTool({
      name: 'Write',
      arguments: { file_path: 'a.txt', content: 'hello' },
    })
    expect(written.isError).toBeUndefined()
    const read = await client.callTool({ name: 'Read', arguments: { file_path: 'a.txt' } })
    expect(JSON.stringify(read.content)).toContain('hello')
    const asked = await client.callTool({ name: 'agent_guide', arguments: { message: 'Who are you?' } })
    const { text, session_id } = asked.structuredContent as {
      readonly text: string
      readonly session_id: string
    }
    expect(text).not.toBe('')
    const again = await client.callTool({
      name: 'agent_guide',
      arguments: { message: 'And now?', session_id },
    })
    expect(again.structuredContent).toMatchObject({ session_id })
    const foreign = client.callTool({ name: 'agent_guide', arguments: { message: 'x', session_id: 'other' } })
    await expect(foreign).rejects.toMatchObject({ code: -32602 })
    await client.close()
  })
})

it('offers nothing without mcpServe, and refuses an unknown agent', async () => {
  await inFolder(async dir => {
    const without = await run(['mcp'], dir)
    expect(without).toMatchObject({ code: 2, stdout: '' })
    expect(without.stderr).toContain('mcpServe')
    configure(dir, { agents: ['stranger'] })
    const unknown = await run(['mcp', '--trust-config'], dir)
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toContain('stranger')
  })
})

it.each([
  ['too deep', `{"a":${'['.repeat(600)}${']'.repeat(600)}}\n`],
  ['too large', 'x'.repeat(10 * 1024 * 1024 + 1)],
])('ends in order at a message that is %s', async (_, message) => {
  await inFolder(async dir => {
    configure(dir, { tools: ['Read'] })
    const child = spawn(process.execPath, ARGS, {
      cwd: dir,
      env: envOf(dir),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let out = ''
    child.stdout.on('data', chunk => {
      out += chunk
    })
    // It may have gone before it has read everything.
    child.stdin.on('error', () => {})
    child.stdin.write(message)
    const [code] = await once(child, 'close')
    expect({ code, out }).toEqual({ code: 0, out: '' })
  })
})
