/** Instruction files (AGENTS.md, CLAUDE.md) between a file and the workspace, attached once per session. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ToolContext } from '@toolwire/core'
import { canonicalPath, isInside } from './resolve-path.ts'

const NAMES = ['AGENTS.md', 'CLAUDE.md']
const MAX_CHARS = 8_000
const NOTE = 'instructions:'

/** Texts not attached before, outermost first. Only inside the workspace, and never its own top: that is the system prompt's. */
export async function instructionFiles(context: ToolContext, path: string): Promise<readonly string[]> {
  const workspace = canonicalPath(context.roots[0] ?? context.cwd)
  const texts: string[] = []
  for (let dir = dirname(path); dir !== workspace && isInside(dir, workspace); dir = dirname(dir)) {
    for (const name of NAMES) {
      const file = join(dir, name)
      if (file === path || context.notes.get(NOTE + file) !== undefined) continue
      const text = await readFile(file, 'utf8').catch(() => undefined)
      if (text === undefined) continue
      context.notes.set(NOTE + file, true)
      texts.unshift(`\n[Instructions for this directory, from ${file}]\n${text.slice(0, MAX_CHARS)}`)
    }
  }
  return texts
}
