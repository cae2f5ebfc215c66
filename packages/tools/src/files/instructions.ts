/** Instruction files (AGENTS.md, CLAUDE.md) between a file and the workspace, attached once per session. */
import { dirname, join } from 'node:path'
import { defuseText, type ToolContext } from '@toolwire/core'
import { canonicalPath, isInside, isInsideRoots } from './resolve-path.ts'
import { readSideHead } from './side-file.ts'

const NAMES = ['AGENTS.md', 'CLAUDE.md']
const MAX_CHARS = 8_000
/** As many as so many characters can take. */
const MAX_BYTES = 4 * MAX_CHARS
const NOTE = 'instructions:'

/**
 * Texts not attached before, outermost first. Only inside the workspace, also after following links, and never its own
 * top: that is the system prompt's.
 */
export async function instructionFiles(context: ToolContext, path: string): Promise<readonly string[]> {
  const workspace = canonicalPath(context.roots[0] ?? context.cwd)
  const allows = (real: string): boolean =>
    isInsideRoots(real, [workspace], context.hidden) && !context.withheld?.has(real)
  const texts: string[] = []
  for (let dir = dirname(path); dir !== workspace && isInside(dir, workspace); dir = dirname(dir)) {
    for (const name of NAMES) {
      const file = join(dir, name)
      if (file === path || context.notes.get(NOTE + file) !== undefined) continue
      if (context.withheld?.has(file)) continue
      const text = await readSideHead(file, MAX_BYTES, allows)
      if (text === undefined) continue
      context.notes.set(NOTE + file, true)
      texts.unshift(
        `\n[Instructions for this directory, from ${file}]\n${defuseText(text.slice(0, MAX_CHARS))}`,
      )
    }
  }
  return texts
}
