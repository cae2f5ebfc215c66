/** The architect with the tools of the product: it reads, and nothing it tries can change a file. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelRequest, SessionEvent } from '@toolwire/core'
import { createArchitectTool, createBuiltinTools, createToolSystem } from '@toolwire/tools'
import { expect, test } from 'vitest'
import { runWithTools } from './run-with-tools.ts'
import { promptFor, scriptedModel } from './scripted-model.ts'
import { opening, readAll } from './stage.ts'

test('it gets the reading tools alone, and writing ones are missing, with permissions bypassed', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'toolwire-architect-'))
  const file = join(dir, 'plan.txt')
  writeFileSync(file, 'as it was')
  const tries = [
    { name: 'Read', input: { file_path: file } },
    { name: 'Write', input: { file_path: join(dir, 'new.txt'), content: 'x' } },
    { name: 'Edit', input: { file_path: file, old_string: 'as it was', new_string: 'changed' } },
    { name: 'Bash', input: { command: `touch ${join(dir, 'made')}` } },
    { name: 'Agent', input: { prompt: 'write a file' } },
    { name: 'MemoryWrite', input: { file_path: 'a.md', content: 'x' } },
  ]
  const seen: ModelRequest[] = []
  const call = { name: 'Architect', input: { prompt: promptFor([{ calls: tries }]) } }
  const [created, message] = opening('go')
  const bypassed = { ...created, cwd: dir, permission_mode: 'bypassPermissions' } as SessionEvent
  const { store, runtime } = await runWithTools(
    scriptedModel([{ calls: [call] }], seen),
    createToolSystem({ tools: [...createBuiltinTools(), createArchitectTool()] }),
    [bypassed, message as SessionEvent],
  )
  try {
    expect(seen[1]?.tools.map(tool => tool.name).toSorted()).toEqual(['Glob', 'Grep', 'LS', 'Read'])
    const events = (await readAll(store)).map(rec => rec.ev)
    const failed = events.flatMap(ev => (ev.type === 'tool.failed' && ev.agent_run_id ? [ev.error.code] : []))
    expect(failed).toEqual(tries.slice(1).map(() => 'unknown_tool'))
    expect(readdirSync(dir)).toEqual(['plan.txt'])
    expect(readFileSync(file, 'utf8')).toBe('as it was')
    expect(events.at(-1)?.type).toBe('run.completed')
  } finally {
    await runtime.stop()
    rmSync(dir, { recursive: true, force: true })
  }
})
