/** `toolwire doctor` on machines in several states of health. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFolder, run } from './launch.ts'

test('a machine that is fit gets one line per check and no failure', async () => {
  await inFolder(async dir => {
    const { code, stdout, stderr } = await run(['doctor', '--port', '0'], dir)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.trim().split('\n')
    expect(lines.length).toBeGreaterThanOrEqual(10)
    for (const line of lines) expect(line).toMatch(/^(ok|note) /)
    expect(stdout).toContain('Node 24')
    expect(stdout).toContain('the demo model answers')
    expect(stdout).toContain('ripgrep')
  })
})

test('a taken port, an unusable folder and an absent engine are said, with what to do', async () => {
  await inFolder(async dir => {
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' && address ? String(address.port) : ''
    const args = ['--port', port, '--data', '/proc/none', '--engine', 'claude-agent-sdk', '--json']
    const { code, stdout, stderr } = await run(['doctor', ...args], dir, { ANTHROPIC_API_KEY: 'secret-key' })
    taken.close()
    expect(code).toBe(6)
    expect(stderr).toMatch(/^toolwire: \d of \d+ checks say that a start would fail\.\n$/)
    const bad = JSON.parse(stdout).filter((finding: { state: string }) => finding.state === 'bad')
    expect(bad.map((finding: { what: string }) => finding.what)).toEqual([
      expect.stringContaining('/proc/none is not writable'),
      expect.stringContaining('EADDRINUSE'),
      expect.stringMatching(/claude-agent-sdk/),
    ])
    for (const finding of bad) expect(finding.mend).not.toBe('')
    expect(stdout).not.toContain('secret-key')
  })
})

test.for([
  ['auto', 'echo broken >&2; exit 1', 'note no sandbox for commands: bubblewrap'],
  ['required', 'exit 1', 'note commands are refused: they need a sandbox'],
  ['off', 'exit 0', 'note commands run without a sandbox'],
  ['auto', 'exit 0', 'ok   commands run in a sandbox'],
] as const)(
  'the sandbox of commands is told: set to %s, with a bubblewrap that does %j',
  async ([setting, does, says]) => {
    await inFolder(async dir => {
      writeFileSync(join(dir, 'bwrap'), `#!/bin/sh\n${does}\n`, { mode: 0o755 })
      const env = { PATH: `${dir}:${process.env['PATH'] ?? ''}`, TOOLWIRE_SANDBOX: setting }
      const { code, stdout } = await run(['doctor', '--port', '0'], dir, env)
      expect(code).toBe(0)
      expect(stdout.split('\n').filter(line => line.startsWith(says))).toHaveLength(1)
    })
  },
)
