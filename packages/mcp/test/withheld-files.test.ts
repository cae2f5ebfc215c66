/** Files that rules withhold are not read through an MCP server either, as far as the arguments name them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { codeOf, type Stage, textOf } from '../../tools/test/stage.ts'
import { closeAll, isReady, program, stageOf, start, until } from './stage-mcp.ts'

const SECRET = 'TOP-SECRET-7731'
let folder = ''
afterEach(closeAll)
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function open(mode = 'bypassPermissions'): Promise<Stage> {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-mcp-files-')))
  mkdirSync(join(folder, 'secrets'))
  writeFileSync(join(folder, 'secrets', 'key.txt'), SECRET)
  writeFileSync(join(folder, 'plain.txt'), 'public')
  symlinkSync('secrets/key.txt', join(folder, 'link.txt'))
  const mcp = start({ files: program('file-server.ts', folder) })
  await until(mcp, isReady(mcp))
  const rules = { deny: [`Read(${folder}/secrets/**)`], allow: ['mcp__files'] }
  return stageOf(mcp, { permissions: { rules }, mode })
}
const address = (name: string): string => pathToFileURL(join(folder, name)).href

test('a resource with the address of a withheld file is not read', async () => {
  const stage = await open()
  const read = (uri: string) => stage.one('ReadMcpResource', { server: 'files', uri })
  expect(textOf(await read(address('plain.txt')))).toContain('public')
  for (const uri of [
    address('secrets/key.txt'),
    address('link.txt'),
    address('secrets/key.txt').replace('key', '%6bey'),
    address('secrets/key.txt').replace('file://', 'FILE://localhost'),
    address('plain/../secrets/key.txt'),
  ])
    expect([uri, codeOf(await read(uri))]).toEqual([uri, 'denied_rule'])
  expect(JSON.stringify(stage.records)).not.toContain(SECRET)
})

test('a tool with the path of a withheld file is not called, and one with a folder around it asks', async () => {
  const stage = await open('default')
  const read = (path: string) => stage.one('mcp__files__read_file', { path })
  expect(textOf(await read(join(folder, 'plain.txt')))).toContain('public')
  for (const path of ['secrets/key.txt', 'link.txt'].map(name => join(folder, name)))
    expect([path, codeOf(await read(path))]).toEqual([path, 'denied_rule'])
  expect((await read(folder)).approval).toBeDefined()
  expect(JSON.stringify(stage.records)).not.toContain(SECRET)
})
