/**
 * Run by a test in a separate process, which gives up superuser rights and may make no file larger than 64 KiB:
 * the tools change a file whose directory accepts no other file, and open one that may not be read. Prints one
 * line of JSON.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { codeOf, createStage, type Stage, textOf } from './stage.ts'

const NOBODY = 65_534

async function main(): Promise<void> {
  // Once before, so that everything is loaded while it may still be read.
  const warm = open()
  writeFileSync(warm.path('a.txt'), 'old\n')
  await edit(warm, warm.path('a.txt'), 'old', 'new')
  warm.close()
  if (process.getuid?.() === 0) {
    process.setgroups?.([])
    process.setgid?.(NOBODY)
    process.setuid?.(NOBODY)
  }
  const s = open()
  const dir = s.path('locked')
  const path = s.path('locked', 'a.txt')
  mkdirSync(dir)
  writeFileSync(path, 'old and much longer\n', { mode: 0o640 })
  chmodSync(dir, 0o555)
  mkdirSync(s.path('secret'))
  writeFileSync(s.path('secret', 'inside.txt'), 'needle\n')
  chmodSync(s.path('secret'), 0o000)
  writeFileSync(s.path('closed.txt'), 'needle\n', { mode: 0o000 })
  writeFileSync(s.path('fixed.txt'), 'as it is\n', { mode: 0o444 })
  try {
    const before = statSync(path)
    const edited = await edit(s, path, 'old and much longer', 'new')
    const after = statSync(path)
    const content = readFileSync(path, 'utf8')
    const created = await s.one('Write', { file_path: s.path('locked', 'new.txt'), content: 'x' })
    const tooLarge = await s.one('Write', { file_path: path, content: 'x'.repeat(1024 * 1024) })
    await s.one('Read', { file_path: s.path('fixed.txt') })
    const fixed = await s.one('Write', { file_path: s.path('fixed.txt'), content: 'other\n' })
    const report = {
      uid: process.getuid?.(),
      edited,
      content,
      same_file: before.ino === after.ino,
      mode: after.mode & 0o777,
      created: codeOf(created),
      fixed: [codeOf(fixed), readFileSync(s.path('fixed.txt'), 'utf8')],
      too_large: textOf(tooLarge),
      content_then: readFileSync(path, 'utf8'),
      names: readdirSync(dir),
      listed: textOf(await s.one('LS', { path: s.workspace })),
      searched: textOf(await s.one('Grep', { pattern: 'needle' })),
      globbed: textOf(await s.one('Glob', { pattern: '*.txt' })),
      copies: readdirSync(tmpdir()).filter(name => name.endsWith('.bak')),
    }
    process.stdout.write(JSON.stringify(report))
  } finally {
    chmodSync(dir, 0o755)
    chmodSync(s.path('secret'), 0o755)
    s.close()
  }
}

const open = (): Stage => createStage({ tools: createBuiltinTools(), mode: 'acceptEdits' })

async function edit(s: Stage, file_path: string, old_string: string, new_string: string): Promise<string> {
  await s.one('Read', { file_path })
  return textOf(await s.one('Edit', { file_path, old_string, new_string }))
}

await main()
