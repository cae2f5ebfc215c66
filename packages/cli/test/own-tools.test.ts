/** The product with a tool of the user's own, rules kept in the workspace, and a tool tried by hand. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFolder, launch } from './launch.ts'

const source = (name: string): string => `
export const tool = ({ defineTool, z }) => defineTool({
  name: '${name}', description: 'says hello', input: z.strictObject({ to: z.string() }),
  isReadOnly: () => true,
  async *call({ to }) { yield { type: 'result', output_text: 'hello ' + to } },
})
`

test('a tool file named in the configuration works, one that comes later too, and a broken one stops nothing', async () => {
  await inFolder(async dir => {
    mkdirSync(join(dir, 'tools'))
    writeFileSync(join(dir, 'tools', 'greet.js'), source('Greet'))
    writeFileSync(join(dir, 'tools', 'broken.js'), 'export const tool = (')
    writeFileSync(join(dir, 'toolwire.config.json'), JSON.stringify({ tools: ['./tools'] }))
    const server = await launch(dir)
    try {
      const call = async (name: string, input: object) => {
        const response = await fetch(`${server.url}/api/tools/${name}/try`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ input }),
        })
        // biome-ignore lint/suspicious/noExplicitAny: fields are compared one by one
        return { status: response.status, body: (await response.json()) as any }
      }
      expect((await call('Greet', { to: 'you' })).body.result.output_text).toBe('hello you')
      // biome-ignore lint/suspicious/noExplicitAny: fields are compared one by one
      const listed = async (): Promise<any> => await (await fetch(`${server.url}/api/tools`)).json()
      expect((await listed()).problems).toEqual([expect.stringContaining('broken.js')])
      writeFileSync(join(dir, 'tools', 'later.js'), source('Later'))
      const names = (await listed()).tools.map((tool: { readonly name: string }) => tool.name)
      expect(names).toContain('Later')
      expect(names).not.toContain('Architect')
      expect((await call('Later', { to: 'me' })).body.result.output_text).toBe('hello me')
    } finally {
      const { stderr } = await server.stop()
      expect(stderr).toMatch(/broken\.js cannot be used/)
    }
  })
})

test('a rule that an approver gives the project is kept in the workspace, listed, and taken back', async () => {
  await inFolder(async dir => {
    mkdirSync(join(dir, 'work'))
    const server = await launch(dir, ['--port', '0', '--workspace', join(dir, 'work')])
    const json = async (method: string, path: string, body?: object) => {
      const response = await fetch(server.url + path, {
        method,
        ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
      })
      // biome-ignore lint/suspicious/noExplicitAny: fields are compared one by one
      return { status: response.status, body: (await response.json()) as any }
    }
    try {
      const touch = { input: { command: 'touch a' } }
      const { body } = await json('POST', '/api/tools/Bash/try', touch)
      expect(body.status).toBe('pending')
      const rule = 'project:Bash(touch:*)'
      await json('POST', `/api/approvals/${body.pending[0].id}`, { decision: 'approved', rule })
      let status = 'pending'
      while (status === 'pending') status = (await json('POST', '/api/tools/Bash/try', touch)).body.status
      expect(status).toBe('completed')
      const file = join(dir, 'work', '.toolwire', 'settings.json')
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ permissions: { allow: ['Bash(touch:*)'] } })
      const { rules } = (await json('GET', '/api/permissions')).body
      expect(rules).toMatchObject([{ rule: 'Bash(touch:*)', source: 'project', revocable: true }])
      expect((await json('DELETE', `/api/permissions/${rules[0].id}`)).status).toBe(200)
      expect((await json('POST', '/api/tools/Bash/try', touch)).body.status).toBe('pending')
    } finally {
      await server.stop()
    }
  })
})
