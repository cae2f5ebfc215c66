/** `toolwire keys …` beside a running server. */
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../store/test/postgres/test-database.ts'
import { inFolder, launch, run } from './launch.ts'

test('keys made beside a running server lock it, spend, and end', async () => {
  await inFolder(async dir => {
    const server = await launch(dir)
    const status = async (path: string, key?: string): Promise<number> =>
      (
        await fetch(server.url + path, {
          headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
        })
      ).status
    expect(await status('/api/sessions')).toBe(200)

    const made = await run(
      ['keys', 'create', '--name', 'laptop', '--owner', 'ann', '--scopes', 'read,write'],
      dir,
    )
    const key = made.stdout.trim()
    expect(key).toMatch(/^tw_[0-9a-f]{12}_[\w-]{32}$/)
    expect(made.stderr).toContain('not shown again')
    await expect.poll(() => status('/api/sessions'), { timeout: 60_000 }).toBe(401)
    expect(await status('/api/sessions', key)).toBe(200)
    expect(await status('/v1/models', key)).toBe(403)
    expect(await status('/')).toBe(200)

    const created = await fetch(`${server.url}/api/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    })
    const { id } = (await created.json()) as { id: string }
    const answer = await fetch(`${server.url}/api/chat/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: id, message: 'hello' }),
    })
    expect(await answer.text()).toContain('"type":"done"')
    const me = await fetch(`${server.url}/api/me`, { headers: { authorization: `Bearer ${key}` } })
    expect(await me.json()).toMatchObject({ owner: 'ann', spent: { usd: 0 } })

    expect((await run(['keys', 'rotate-signing'], dir)).stdout).toMatch(
      /^browser tokens are signed with key [0-9a-f]{8}\n$/,
    )
    const listed = await run(['keys', 'list'], dir)
    expect(listed.stdout).toMatch(
      /^[0-9a-f]{12} {2}valid {2}owner ann {2}spent \$0\.0000\+? {2}read,write {2}laptop\n$/,
    )
    expect(listed.stdout).not.toContain(key)
    const keyId = listed.stdout.slice(0, 12)
    expect((await run(['keys', 'revoke', keyId], dir)).stdout).toBe(`revoked ${keyId}\n`)
    await expect.poll(() => status('/api/sessions', key), { timeout: 60_000 }).toBe(401)
    expect((await run(['keys', 'list'], dir)).stdout).toContain('revoked 20')
    const audit = (await run(['keys', 'audit'], dir)).stdout
    expect(audit).toMatch(
      /"action":"key\.created".*\n.*"action":"signing_key\.rotated".*\n.*"action":"key\.revoked"/,
    )
    await server.stop()
  })
})

test('the first key warns that the server needs keys from now on, and names the way back', async () => {
  await inFolder(async dir => {
    const server = await launch(dir)
    const status = async (url: string, headers = {}): Promise<number> =>
      (await fetch(`${url}/api/sessions`, { headers })).status
    const first = await run(['keys', 'create'], dir)
    expect(first.stderr).toContain('From now on the server needs a key on every request')
    expect(first.stderr).toContain('`toolwire keys off`')
    const second = await run(['keys', 'create', '--owner', 'ann'], dir)
    expect(second.stderr).not.toContain('From now on')
    const ids = (await run(['keys', 'list'], dir)).stdout
      .trimEnd()
      .split('\n')
      .map(line => line.slice(0, 12))
    const revoked = await Promise.all(ids.map(id => run(['keys', 'revoke', id], dir)))
    expect(revoked.map(({ code }) => code)).toEqual([0, 0])
    const last = await run(['keys', 'revoke', ids[0] ?? ''], dir)
    expect(last.stderr).toContain('No valid key is left, and the server still needs one')
    expect(last.stderr).toContain('`toolwire keys off`')
    await expect.poll(() => status(server.url)).toBe(401)

    const off = await run(['keys', 'off'], dir)
    expect(off).toMatchObject({ code: 0, stdout: 'removed keys: 2\n' })
    expect(off.stderr).toContain('Restart the server: until then it rejects every request')
    expect((await run(['keys', 'list'], dir)).stdout).toBe('No keys.\n')
    expect((await run(['keys', 'audit'], dir)).stdout.match(/"action":"key\.removed"/g)).toHaveLength(2)
    // A running server never opens by itself.
    expect(await status(server.url)).toBe(401)
    expect(await status(server.url, { authorization: `Bearer ${first.stdout.trim()}` })).toBe(401)
    await server.stop()
    const exposed = await run(['--port', '0', '--host', '0.0.0.0'], dir)
    expect(exposed).toMatchObject({ code: 2, stderr: expect.stringContaining('TOOLWIRE_API_KEYS') })
    const again = await launch(dir)
    expect(await status(again.url)).toBe(200)
    await again.stop()
  })
})

test('keys of the settings stay: neither the warning nor the way back claims otherwise', async () => {
  await inFolder(async dir => {
    const env = { TOOLWIRE_API_KEYS: 'from-the-settings' }
    expect((await run(['keys', 'create'], dir, env)).stderr).not.toContain('From now on')
    const off = await run(['keys', 'off'], dir, env)
    expect(off).toMatchObject({ code: 0, stdout: 'removed keys: 1\n' })
    expect(off.stderr).toContain('The server still needs a key: TOOLWIRE_API_KEYS')
  })
})

test('keys of a server on PostgreSQL are in its database', async () => {
  const database = await createTestDatabase()
  try {
    await inFolder(async dir => {
      const keys = (...args: readonly string[]) => run(['keys', ...args, '--database', database.url], dir)
      const server = await launch(dir, ['--port', '0', '--database', database.url])
      const key = (await keys('create')).stdout.trim()
      const status = async (): Promise<number> => (await fetch(`${server.url}/api/sessions`)).status
      await expect.poll(status).toBe(401)
      const headers = { authorization: `Bearer ${key}` }
      expect((await fetch(`${server.url}/api/sessions`, { headers })).status).toBe(200)
      expect((await run(['keys', 'list'], dir)).stdout).toBe('No keys.\n')
      expect((await keys('off')).stdout).toBe('removed keys: 1\n')
      expect((await keys('list')).stdout).toBe('No keys.\n')
      await server.stop()
    })
  } finally {
    await database.drop()
  }
})

test('bad input gets one sentence', async () => {
  await inFolder(async dir => {
    for (const [args, says] of [
      [['create', '--scopes', 'root'], '--scopes takes'],
      [['create', '--owner', ' a'], '--owner must be'],
      [['create', '--rpm', '-1'], '--rpm must be'],
      [['revoke', 'nobody'], 'There is no key nobody'],
    ] as const) {
      const { code, stderr } = await run(['keys', ...args], dir)
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(`^toolwire: ${says}[^\\n]+\\n$`),
      })
    }
  })
})
