/** `toolwire keys …` beside a running server. */
import { expect, test } from 'vitest'
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
    expect(made.stderr).toContain('shown this once')
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
    expect(audit).toMatch(/"action":"key\.created".*\n.*"action":"key\.revoked"/)
    await server.stop()
  })
})

test('bad input gets one sentence', async () => {
  await inFolder(async dir => {
    for (const [args, says] of [
      [['create', '--scopes', 'root'], '--scopes takes'],
      [['create', '--owner', 'a b'], '--owner must be'],
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
