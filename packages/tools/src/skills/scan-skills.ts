/**
 * Finds the skills below one folder. Strangers may have made it: no link leads out of it, only regular files are opened,
 * and the numbers of folders, levels and skills are limited.
 */
import type { Dirent } from 'node:fs'
import { basename, join } from 'node:path'
import { canonicalPath, isInside } from '../files/resolve-path.ts'
import { listDirectory } from '../safe-files/held-directory.ts'
import { openFile, readUpTo } from '../safe-files/open-file.ts'
import { readSkillFile, type SkillFile } from './skill-file.ts'

export const SKILL_FILE = 'SKILL.md'
const MAX_DEPTH = 6
const MAX_FOLDERS = 2_000
const MAX_SKILLS = 500
/** Bytes of one SKILL.md. */
const MAX_FILE = 256 * 1024
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules'])

export interface FoundSkill extends SkillFile {
  /** Canonical path of the folder. */
  readonly dir: string
}

export interface FolderScan {
  /** In the order of their paths. */
  readonly skills: readonly FoundSkill[]
  readonly warnings: readonly string[]
}

/** `root` is canonical. Nothing where there is no such folder. Never throws. */
export async function scanSkills(root: string): Promise<FolderScan> {
  const scan: ScanState = { root, seen: new Set(), skills: [], warnings: [] }
  await scanFolder(root, 0, scan)
  const skills = scan.skills.toSorted((a, b) => (a.dir < b.dir ? -1 : 1))
  if (scan.isCut) scan.warnings.push(`${root}: not all of it was searched, because it holds too much`)
  return { skills, warnings: scan.warnings }
}

interface ScanState {
  readonly root: string
  /** Canonical folders. */
  readonly seen: Set<string>
  readonly skills: FoundSkill[]
  readonly warnings: string[]
  isCut?: true
}

async function scanFolder(dir: string, depth: number, scan: ScanState): Promise<void> {
  if (scan.seen.has(dir)) return
  if (scan.seen.size >= MAX_FOLDERS || scan.skills.length >= MAX_SKILLS) {
    scan.isCut = true
    return
  }
  scan.seen.add(dir)
  const entries = await listDirectory(dir).catch(() => [])
  if (entries.some(({ name }) => name === SKILL_FILE) && dir !== scan.root) {
    const read = await readSkill(dir)
    if ('problem' in read) scan.warnings.push(`${join(dir, SKILL_FILE)}: ${read.problem}`)
    else scan.skills.push(read)
    return
  }
  for (const path of foldersIn(dir, entries, scan))
    if (depth < MAX_DEPTH) await scanFolder(path, depth + 1, scan)
    else scan.isCut = true
}

/** Canonical paths by name; links that lead out of the root are warnings. */
function foldersIn(
  dir: string,
  entries: readonly Dirent[],
  { root, warnings }: ScanState,
): readonly string[] {
  const folders = entries
    .filter(entry => !LEFT_OUT.has(entry.name) && (entry.isDirectory() || entry.isSymbolicLink()))
    .map(entry => (entry.isSymbolicLink() ? canonicalPath(join(dir, entry.name)) : join(dir, entry.name)))
  const outside = folders.filter(path => !isInside(path, root))
  warnings.push(...outside.map(path => `${path}: left out, because a link in ${dir} leads there`))
  return folders.filter(path => isInside(path, root)).sort()
}

interface CachedSkill {
  readonly stamp: string
  readonly skill: FoundSkill | { readonly problem: string }
}

/** Files of earlier scans: one that is unchanged is not read again. */
const known = new Map<string, CachedSkill>()
const MAX_KNOWN = 5_000

/** The skill of a folder as it is now. `dir` is canonical. Never throws. */
async function readSkill(dir: string): Promise<FoundSkill | { readonly problem: string }> {
  const path = join(dir, SKILL_FILE)
  const file = await openFile(path).catch(() => undefined)
  if (!file) return { problem: 'not a regular file that can be read' }
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = await file.stat()
    const stamp = [dev, ino, size, mtimeMs, ctimeMs].join(' ')
    const before = known.get(path)
    if (before?.stamp === stamp) return before.skill
    const text = toText(await readUpTo(file, MAX_FILE + 1))
    const read = typeof text === 'string' ? readSkillFile(text, basename(dir)) : text
    const skill = 'problem' in read ? read : { ...read, dir }
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(path, { stamp, skill })
    return skill
  } catch {
    return { problem: 'it cannot be read' }
  } finally {
    await file.close()
  }
}

/** The text of a SKILL.md as it is now, or the problem with it. `dir` is canonical. Never throws. */
export async function readSkillText(dir: string): Promise<string | { readonly problem: string }> {
  const file = await openFile(join(dir, SKILL_FILE)).catch(() => undefined)
  if (!file) return { problem: 'its file is gone, or is not a regular file' }
  try {
    return toText(await readUpTo(file, MAX_FILE + 1))
  } catch {
    return { problem: 'it cannot be read' }
  } finally {
    await file.close()
  }
}

function toText(bytes: Buffer): string | { readonly problem: string } {
  if (bytes.length > MAX_FILE) return { problem: `larger than ${MAX_FILE} bytes` }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { problem: 'not UTF-8 text' }
  }
}
