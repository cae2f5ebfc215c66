/** `toolwire rules`: what a workspace allows beyond sessions, and for which kind of agent. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFolder, launch, run } from './launch.ts'

async function decide(url: string, agent?: string): Promise<string> {
  const response = await fetch(`${url}/api/permissions/explain`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tool: 'Bash', input: { command: 'touch a' }, ...(agent ? { agent } : {}) }),
  })
  return ((await response.json()) as { decision: string }).decision
}

test('an allowance applies in the running server at once, for the agent type that it names, until it is revoked', async () => {
  await inFolder(async dir => {
    const server = await launch(dir)
    const rule = '@explore Bash(touch a)'
    expect([await decide(server.url), await decide(server.url, 'explore')]).toEqual(['ask', 'ask'])
    const added = await run(['rules', 'add', rule, '--expires', '1'], dir)
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect([await decide(server.url), await decide(server.url, 'explore')]).toEqual(['ask', 'allow'])
    const listed = (await (await fetch(`${server.url}/api/permissions`)).json()) as { rules: object[] }
    expect(listed.rules).toMatchObject([{ rule, decision: 'allow', source: 'project', revocable: true }])
    expect((await run(['rules', 'ls'], dir)).stdout).toMatch(
      /^allow {2}@explore Bash\(touch a\) {2}\(project, until 20[^)]+\)\n$/,
    )
    expect((await run(['rules', 'rm', rule], dir)).code).toBe(0)
    expect(await decide(server.url, 'explore')).toBe('ask')
    expect((await run(['rules', 'list'], dir)).stdout).toBe('No rules.\n')
    const { entries } = (await (await fetch(`${server.url}/api/audit`)).json()) as { entries: object[] }
    const details = { rule, workspace: expect.stringMatching(/^\//) }
    expect(entries).toMatchObject([
      {
        action: 'permission_rule.added',
        by: 'command line',
        details: { ...details, decision: 'allow', expires_at: expect.stringMatching(/^20/) },
      },
      { action: 'permission_rule.revoked', by: 'command line', details },
    ])
    expect((await run(['rules', 'add', 'Bash(touch a)', '--decision', 'deny'], dir)).stdout).toMatch(
      /^denied in /,
    )
    expect(await decide(server.url)).toBe('deny')
    expect((await run(['rules', 'rm', 'Bash(touch a)'], dir)).stdout).toMatch(/^no longer denied in /)
    expect(await decide(server.url)).toBe('ask')
    await server.stop()
  })
})

test('rules of the configuration are listed beside, and what cannot be is refused with one sentence', async () => {
  await inFolder(async dir => {
    const permissions = { allow: ['Bash(ls)'], deny: [{ rule: '@main Bash(rm:*)', message: 'no' }] }
    writeFileSync(join(dir, 'toolwire.config.json'), JSON.stringify({ permissions, workspace: dir }))
    const env = { HOME: '/nowhere' }
    const { stdout } = await run(['rules', 'list', '--json'], dir, env)
    expect(JSON.parse(stdout)).toEqual([
      { decision: 'deny', rule: '@main Bash(rm:*)', source: 'configuration' },
      { decision: 'allow', rule: 'Bash(ls)', source: 'configuration' },
    ])
    for (const words of [
      ['add', 'no rule at all'],
      ['add', 'Bash', '--expires', 'soon'],
      ['add', 'Bash', '--decision', 'maybe'],
      ['remove', 'Bash(pwd)'],
    ]) {
      const end = await run(['rules', ...words], dir, env)
      expect(end.code, words.join(' ')).not.toBe(0)
      expect(end.stderr).toMatch(/^toolwire: [^\n]+\n$/)
    }
  })
})
