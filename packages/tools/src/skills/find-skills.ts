/**
 * The skills of a working directory. Of two with one name the later one replaces the other: those of the operator's folders, then those of
 * the project from the root of its repository down to the directory. Untrusted folders are named and not read.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { canonicalPath, isInside } from '../files/resolve-path.ts'
import { projectDirectories } from '../prompt/project-files.ts'
import { type FoundSkill, SKILL_FILE, scanSkills } from './scan-skills.ts'

/** Folders of a project that hold skills; later ones count first. */
const PROJECT_ROOTS = ['.claude/skills', '.agents/skills', '.toolwire/skills']

/** A folder whose files an administrator has read: those that are still the same are loaded. */
export interface TrustedFolder {
  /** Canonical. */
  readonly path: string
  /** SHA-256 by path. */
  readonly files: Readonly<Record<string, string>>
}

export interface SkillTrust {
  /** Folders of the operator; every file in them is loaded. Canonical. */
  readonly trusted: readonly string[]
  /** Folders of the owner. */
  readonly folders: readonly TrustedFolder[]
}

export interface ListedSkill extends FoundSkill {
  readonly source: 'operator' | 'project'
  /** Trusted as it is now: another text is not loaded. */
  readonly pinned?: true
  /** The folder of the skill that replaces it. */
  readonly shadowed_by?: string
}

export interface SkillSet {
  /** By name. Shadowed ones are not among them. */
  readonly skills: readonly ListedSkill[]
  readonly shadowed: readonly ListedSkill[]
  /** Folders and files that are not trusted. */
  readonly skipped: readonly string[]
  readonly warnings: readonly string[]
}

/** `operator` are folders of the configuration. Never throws. */
export async function findSkills(
  cwd: string,
  operator: readonly string[],
  trust: SkillTrust,
): Promise<SkillSet> {
  const scans: ScannedRoot[] = []
  for (const root of operator) scans.push(await scanRoot(canonicalPath(root), 'operator'))
  const { trusted, skipped } = await scanProject(canonicalPath(cwd), trust)
  scans.push(...trusted)
  return {
    ...merge(scans.flatMap(({ skills }) => skills)),
    skipped,
    warnings: scans.flatMap(one => one.warnings),
  }
}

/** Every SKILL.md of a project with its hash, trusted or not. Never throws. */
export async function projectSkillFiles(
  cwd: string,
): Promise<readonly { readonly path: string; readonly sha256: string }[]> {
  const scans = await Promise.all(projectRoots(canonicalPath(cwd)).map(root => scanRoot(root, 'project')))
  return scans.flatMap(({ skills }) =>
    skills.map(({ dir, sha256 }) => ({ path: join(dir, SKILL_FILE), sha256 })),
  )
}

interface ScannedRoot {
  readonly skills: readonly ListedSkill[]
  readonly warnings: readonly string[]
}

/** Of two skills with one name in a folder only the first by path is used. */
async function scanRoot(root: string, source: ListedSkill['source']): Promise<ScannedRoot> {
  const scan = await scanSkills(root)
  const names = new Set<string>()
  const skills: ListedSkill[] = []
  const warnings = [...scan.warnings]
  for (const skill of scan.skills) {
    const file = join(skill.dir, SKILL_FILE)
    warnings.push(...skill.warnings.map(text => `${file}: ${text}`))
    if (names.has(skill.name))
      warnings.push(`${file}: left out, because its folder has another skill of this name`)
    else skills.push({ ...skill, source })
    names.add(skill.name)
  }
  return { skills, warnings }
}

async function scanProject(
  cwd: string,
  { trusted, folders }: SkillTrust,
): Promise<{ readonly trusted: readonly ScannedRoot[]; readonly skipped: readonly string[] }> {
  const top = trusted.find(dir => isInside(cwd, dir))
  const folder = folders.find(({ path }) => isInside(cwd, path))
  if (top === undefined && !folder) return { trusted: [], skipped: projectRoots(cwd) }
  const scans = await Promise.all(
    projectRoots(cwd, top ?? folder?.path).map(root => scanRoot(root, 'project')),
  )
  if (top !== undefined || !folder) return { trusted: scans, skipped: [] }
  const isKnown = ({ dir, sha256 }: FoundSkill): boolean => folder.files[join(dir, SKILL_FILE)] === sha256
  const changed = scans.flatMap(({ skills }) => skills.filter(skill => !isKnown(skill)))
  return {
    trusted: scans.map(({ skills, warnings }) => ({
      skills: skills.filter(isKnown).map(skill => ({ ...skill, pinned: true })),
      warnings,
    })),
    skipped: changed.map(({ dir }) => join(dir, SKILL_FILE)),
  }
}

/** Folders that exist and do not lead out of the project; canonical. */
function projectRoots(cwd: string, top?: string): readonly string[] {
  const dirs = projectDirectories(cwd, top)
  const project = dirs[0] ?? cwd
  const roots = dirs
    .flatMap(dir => PROJECT_ROOTS.map(name => join(dir, name)))
    .filter(isFolder)
    .map(root => canonicalPath(root))
    .filter(root => isInside(root, project))
  return [...new Set(roots)]
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function merge(all: readonly ListedSkill[]): Pick<SkillSet, 'skills' | 'shadowed'> {
  const last = new Map(all.map(skill => [skill.name, skill]))
  const skills = [...last.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const shadowed = all.flatMap(skill => {
    const winner = last.get(skill.name)
    return winner === undefined || winner === skill ? [] : [{ ...skill, shadowed_by: winner.dir }]
  })
  return { skills, shadowed }
}
