/** The real server cannot be made to fill its disk, and deleted sessions give their room back. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inFolder, type Launched, launch, run } from './launch.ts'

const MIB = 1024 ** 2
const FREE = ['--port', '0', '--permission-mode', 'bypassPermissions']
const storage = { callBytes: MIB, sessionBytes: 2 * MIB, ownerBytes: 3 * MIB }

async function bash(server: Launched, input: object) {
  const response = await fetch(`${server.url}/api/tools/Bash/try`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input, wait_ms: 30_000 }),
  })
  const body = await response.text()
  return { body, session: (JSON.parse(body) as { readonly session_id: string }).session_id }
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

test('endless output is bounded per call and owner, and a deleted session makes room', async () => {
  await inFolder(async dir => {
    writeFileSync(join(dir, 'toolwire.config.json'), JSON.stringify({ storage }))
    const artifacts = join(dir, '.toolwire', 'artifacts')
    const server = await launch(dir, FREE)
    const endless = { command: 'seq 1 99999999999' }
    const first = await bash(server, endless)
    expect(first.body).toContain('output_limit')
    for (let i = 0; i < 2; i++) await bash(server, endless)
    expect((await bash(server, endless)).body).toContain('Its first 0 bytes')
    expect(bytesIn(artifacts)).toBeLessThan(3.3 * MIB)
    const deleted = await fetch(`${server.url}/api/sessions/${first.session}`, { method: 'DELETE' })
    expect(deleted.status).toBe(204)
    expect(existsSync(join(artifacts, first.session))).toBe(false)
    expect((await bash(server, endless)).body).toContain(`Its first ${MIB} bytes`)
    await server.stop()
  })
})

test('a background command without end is bounded also while no server runs', async () => {
  await inFolder(async dir => {
    writeFileSync(join(dir, 'toolwire.config.json'), JSON.stringify({ storage }))
    const server = await launch(dir, FREE)
    const command = 'while [ ! -e go ]; do sleep 0.05; done; seq 1 99999999999'
    const { session } = await bash(server, { command, run_in_background: true })
    await server.stop('SIGKILL')
    writeFileSync(join(dir, '.toolwire', 'workspace', 'go'), '')
    const folder = join(dir, '.toolwire', 'artifacts', session)
    while (bytesIn(folder) <= MIB / 4) await delay(10)
    expect(bytesIn(folder)).toBeLessThan(0.3 * MIB)
    const next = await launch(dir, FREE)
    while (readdirSync(join(dir, '.toolwire', 'tasks')).length > 0) await delay(10)
    expect(bytesIn(folder)).toBeLessThan(0.3 * MIB)
    await next.stop()
  })
})

test('a limit that is too small is named', async () => {
  await inFolder(async dir => {
    writeFileSync(join(dir, 'toolwire.config.json'), JSON.stringify({ storage: { callBytes: 5 } }))
    const end = await run(FREE, dir)
    expect(end.code).toBe(2)
    expect(end.stderr).toContain('must be at least 1048576')
  })
})
