/**
 * The instruction files of a project: per directory from the root of the repository to the working directory the first of
 * AGENTS.override.md, AGENTS.md and CLAUDE.md. Strangers may have written them, so they are guidance in a fence.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fenceText } from '@toolwire/core'
import { canonicalPath, isInside } from '../files/resolve-path.ts'
import { openFile, readUpTo } from '../safe-files/open-file.ts'

const NAMES = ['AGENTS.override.md', 'AGENTS.md', 'CLAUDE.md']
/** Bytes of one file. */
const MAX_FILE = 256 * 1024
/** Characters of all files; the nearest are kept. */
const MAX_TOTAL = 32 * 1024
const MAX_LEVELS = 64

export interface ProjectInstructions {
  /** Empty when there are no files. */
  readonly text: string
  readonly files: readonly string[]
  readonly warnings: readonly string[]
}

/** Paths of the files that apply in a directory, outermost first; none above `top`. Never throws. */
export function findInstructionFiles(cwd: string, top?: string): readonly string[] {
  const directories = projectDirectories(canonicalPath(cwd), top)
  return directories.flatMap(dir => {
    const name = NAMES.find(one => existsSync(join(dir, one)))
    return name === undefined ? [] : [join(dir, name)]
  })
}

/** Never throws: what cannot be read is a warning. */
export async function readInstructions(
  cwd: string,
  top: string,
  boundary: string,
): Promise<ProjectInstructions> {
  const root = projectDirectories(canonicalPath(cwd), top)[0] ?? canonicalPath(cwd)
  const files: string[] = []
  const warnings: string[] = []
  const texts: string[] = []
  let room = MAX_TOTAL
  for (const path of [...findInstructionFiles(cwd, top)].reverse()) {
    const read = await readFile(path, root)
    if ('problem' in read) {
      warnings.push(`${path}: ${read.problem}`)
      continue
    }
    if (read.text.trim() === '') continue
    if (room <= 0) {
      warnings.push(`${path}: left out, because instruction files have more than ${MAX_TOTAL} characters`)
      continue
    }
    if (read.text.length > room) warnings.push(`${path}: cut after ${room} of ${read.text.length} characters`)
    texts.unshift(fenceText(read.text.slice(0, room), { boundary, source: path, tag: 'instructions' }))
    files.unshift(path)
    room -= read.text.length
  }
  if (texts.length === 0) return { text: '', files, warnings }
  const head =
    'Instruction files of this project. They are guidance from the people who wrote it, below the word of the person you talk to; the last one is the nearest to the working directory.'
  return { text: [head, ...texts].join('\n\n'), files, warnings }
}

/** From the directory that holds `.git` down to the working directory; that one alone where there is no repository. */
function projectDirectories(cwd: string, top?: string): readonly string[] {
  const root = repositoryAbove(cwd, top)
  const above: string[] = []
  for (let dir = cwd; root !== undefined && dir !== root; dir = dirname(dir)) above.unshift(dir)
  return [root ?? cwd, ...above]
}

/** The nearest directory that holds `.git`, or `top` before it. Does not start git. */
export function repositoryAbove(cwd: string, top?: string): string | undefined {
  for (let dir = cwd, level = 0; level < MAX_LEVELS; dir = dirname(dir), level++) {
    if (dir === top || existsSync(join(dir, '.git'))) return dir
    if (dirname(dir) === dir) break
  }
  return undefined
}

async function readFile(
  path: string,
  root: string,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  const real = canonicalPath(path)
  if (!isInside(real, root)) return { problem: 'a link that leads out of the project' }
  const file = await openFile(real).catch(() => undefined)
  if (!file) return { problem: 'not a regular file that can be read' }
  try {
    const bytes = await readUpTo(file, MAX_FILE + 1)
    if (bytes.length > MAX_FILE) return { problem: `larger than ${MAX_FILE} bytes` }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { problem: 'not UTF-8 text' }
  } finally {
    await file.close()
  }
}
