/** `toolwire prompt`, and the prompt of a session of the running product. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts')
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'prompt-'))
  folders.push(path)
  return path
}

async function run(...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=toolwire-source',
    MAIN,
    'prompt',
    ...words,
  ])
  return stdout
}

test('prints the parts, the tools and their sizes, the same twice', async () => {
  const workspace = folder()
  writeFileSync(join(workspace, 'AGENTS.md'), 'Use tabs.')
  const words = ['--workspace', workspace, '--data', folder(), '--model', 'claude-sonnet-5']
  const text = await run(...words)
  expect(text).toMatch(/^You are Toolwire/)
  expect(text).toContain('Use tabs.')
  expect(text).toContain('working directory: ')
  expect(text).toMatch(/^core +\d+ characters +\d+ tokens$/m)
  expect(text).toMatch(/^tool Bash +\d+ characters +\d+ tokens$/m)
  expect(text).not.toMatch(/^tool tavily_search/m)
  expect(await run(...words)).toBe(text)
})

test('loads nothing that rules keep from Read, nor data of the server, by imports and links', async () => {
  const workspace = folder()
  for (const name of ['secrets', 'private', '.toolwire', 'docs']) mkdirSync(join(workspace, name))
  writeFileSync(join(workspace, 'secrets', 'key.txt'), 'DENIED')
  writeFileSync(join(workspace, 'private', 'key.txt'), 'ASKED')
  writeFileSync(join(workspace, '.toolwire', 'provider-keys.json'), '{"key":"STORED"}')
  writeFileSync(join(workspace, 'docs', 'style.md'), 'Use tabs.')
  symlinkSync('../secrets/key.txt', join(workspace, 'docs', 'link.md'))
  const imports = ['secrets/key.txt', 'docs/link.md', 'private/key.txt', '.toolwire/provider-keys.json']
  const words = [...imports, 'docs/style.md'].map(path => `@${path} @./docs/../${path}`)
  writeFileSync(join(workspace, 'AGENTS.md'), words.join('\n'))
  const config = join(folder(), 'config.json')
  const permissions = { deny: ['Read(secrets/**)'], ask: ['Read(private/**)'] }
  writeFileSync(config, JSON.stringify({ permissions }))
  const data = join(workspace, '.toolwire')
  const text = await run('--workspace', workspace, '--data', data, '--model', 'gpt-5.2', '--config', config)
  expect(text).toContain('Use tabs.')
  for (const secret of ['DENIED', 'ASKED', 'STORED']) expect(text).not.toContain(secret)
})

test('an instruction file that is a link to a denied file is not loaded', async () => {
  const workspace = folder()
  writeFileSync(join(workspace, 'key.txt'), 'DENIED')
  symlinkSync('key.txt', join(workspace, 'AGENTS.md'))
  const config = join(folder(), 'config.json')
  writeFileSync(config, JSON.stringify({ permissions: { deny: ['Read(key.txt)'] } }))
  const data = folder()
  const words = ['--workspace', workspace, '--data', data, '--model', 'gpt-5.2']
  expect(await run(...words, '--config', config)).not.toContain('DENIED')
  expect(await run(...words)).toContain('DENIED')
})

test('prints JSON that a program can read', async () => {
  const shown = JSON.parse(
    await run('--json', '--workspace', folder(), '--data', folder(), '--model', 'gpt-5.2'),
  ) as {
    readonly system: string
    readonly parts: readonly { readonly key: string; readonly text: string }[]
  }
  expect(shown.parts.map(part => part.key)).toEqual(['core', 'policy', 'environment'])
  expect(shown.system).toBe(shown.parts.map(part => part.text).join('\n\n'))
})

test('a session that does not exist is one sentence', async () => {
  await expect(run('--session', 'none', '--data', folder())).rejects.toThrow(/There is no session none/)
})
