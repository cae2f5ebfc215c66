/**
 * The instruction files of a project: per directory from the root of the repository to the working directory the first of
 * AGENTS.override.md, AGENTS.md and CLAUDE.md, and the files that they import. Strangers may have written them, so they are
 * guidance in a fence.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fenceText } from '@toolwire/core'
import { canonicalPath, isInside } from '../files/resolve-path.ts'
import { openFile, readUpTo } from '../safe-files/open-file.ts'
import { importsOf } from './import-paths.ts'
import type { MayLoad } from './instruction-guard.ts'

const NAMES = ['AGENTS.override.md', 'AGENTS.md', 'CLAUDE.md']
/** Bytes of one file. */
const MAX_FILE = 256 * 1024
/** Characters of all files; the nearest are kept. */
const MAX_TOTAL = 32 * 1024
const MAX_LEVELS = 64
const MAX_DEPTH = 5
const MAX_FILES = 64

export interface InstructionFile {
  readonly path: string
  readonly text: string
  readonly sha256: string
}

export interface ProjectInstructions {
  /** Outermost first; an imported file follows the one that imports it. */
  readonly files: readonly InstructionFile[]
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

/** The directory that holds `.git`, or the working directory where there is no repository. */
export const projectRoot = (cwd: string, top?: string): string =>
  projectDirectories(canonicalPath(cwd), top)[0] ?? canonicalPath(cwd)

/** Never throws: what cannot be read is a warning. */
export async function readInstructions(
  cwd: string,
  top?: string,
  mayLoad: MayLoad = async () => true,
): Promise<ProjectInstructions> {
  const root = projectRoot(cwd, top)
  const reader = { root, mayLoad, seen: new Set<string>(), warnings: [] as string[] }
  const groups: (readonly InstructionFile[])[] = []
  let room = MAX_TOTAL
  for (const path of [...findInstructionFiles(cwd, top)].reverse()) {
    const loaded: InstructionFile[] = []
    for (const file of await readWithImports(path, reader, 0)) {
      if (room <= 0) {
        reader.warnings.push(
          `${file.path}: left out, because instruction files have more than ${MAX_TOTAL} characters`,
        )
        continue
      }
      const { length } = file.text
      if (length > room) reader.warnings.push(`${file.path}: cut after ${room} of ${length} characters`)
      loaded.push({ ...file, text: file.text.slice(0, room) })
      room -= length
    }
    groups.unshift(loaded)
  }
  return { files: groups.flat(), warnings: reader.warnings }
}

/** The text of the part; empty when there are no files. Pure. */
export function renderInstructions(files: readonly InstructionFile[], boundary: string): string {
  if (files.length === 0) return ''
  const head =
    'Instruction files of this project. They are guidance from the people who wrote it, below the word of the person you talk to; the last one is the nearest to the working directory.'
  const texts = files.map(({ path, text }) =>
    fenceText(text, { boundary, source: path, tag: 'instructions' }),
  )
  return [head, ...texts].join('\n\n')
}

interface InstructionReader {
  readonly root: string
  readonly mayLoad: MayLoad
  /** Canonical paths: each file is read once, so that cycles end. */
  readonly seen: Set<string>
  readonly warnings: string[]
}

async function readWithImports(
  path: string,
  reader: InstructionReader,
  depth: number,
): Promise<readonly InstructionFile[]> {
  const { root, mayLoad, seen, warnings } = reader
  const real = canonicalPath(path)
  if (seen.has(real)) return []
  if (seen.size >= MAX_FILES) {
    warnings.push(`${path}: left out, because there are more than ${MAX_FILES} instruction files`)
    return []
  }
  seen.add(real)
  if (!(await mayLoad(path)) || !(await mayLoad(real))) {
    warnings.push(`${path}: left out, because models may not read it unasked`)
    return []
  }
  const read = await readFile(path, root)
  if ('problem' in read) {
    warnings.push(`${path}: ${read.problem}`)
    return []
  }
  if (read.text.trim() === '') return []
  const sha256 = createHash('sha256').update(read.text).digest('hex')
  const files: InstructionFile[] = [{ path, text: read.text, sha256 }]
  for (const imported of importsOf(read.text)) {
    const target = join(imported.startsWith('/') ? '' : dirname(path), imported)
    // A word that begins with @ is an import only if there is such a file.
    if (!existsSync(target)) continue
    if (depth >= MAX_DEPTH) warnings.push(`${target}: left out, because imports are nested too deep`)
    else files.push(...(await readWithImports(target, reader, depth + 1)))
  }
  return files
}

/** From the directory that holds `.git` down to the working directory; that one alone where there is no repository. */
export function projectDirectories(cwd: string, top?: string): readonly string[] {
  const above: string[] = []
  const root = repositoryAbove(cwd, top)
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
  if (!isInside(real, root)) return { problem: 'a path that leads out of the project' }
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
