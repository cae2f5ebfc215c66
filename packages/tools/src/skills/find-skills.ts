/**
 * The skills of a working directory. Of two with one name the later one replaces the other: those of the operator's folders, then those of
 * the project from the root of its repository down to the directory. Untrusted folders are named and not read.
 */
import { join } from 'node:path'
import { canonicalPath } from '../files/resolve-path.ts'
import { type FolderTrust, judgeFolder, projectFolders } from '../prompt/project-folders.ts'
import { type FoundSkill, SKILL_FILE, scanSkills } from './scan-skills.ts'

/** Folders of a project that hold skills; later ones count first. */
const PROJECT_ROOTS = ['.claude/skills', '.agents/skills', '.toolwire/skills']

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
  trust: FolderTrust,
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
  const scans = await Promise.all(
    projectFolders(canonicalPath(cwd), PROJECT_ROOTS).map(root => scanRoot(root, 'project')),
  )
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
  trust: FolderTrust,
): Promise<{ readonly trusted: readonly ScannedRoot[]; readonly skipped: readonly string[] }> {
  const verdict = judgeFolder(cwd, trust)
  if (!verdict) return { trusted: [], skipped: projectFolders(cwd, PROJECT_ROOTS) }
  const scans = await Promise.all(
    projectFolders(cwd, PROJECT_ROOTS, verdict.top).map(root => scanRoot(root, 'project')),
  )
  const { known } = verdict
  if (!known) return { trusted: scans, skipped: [] }
  const isKnown = ({ dir, sha256 }: FoundSkill): boolean => known[join(dir, SKILL_FILE)] === sha256
  const changed = scans.flatMap(({ skills }) => skills.filter(skill => !isKnown(skill)))
  return {
    trusted: scans.map(({ skills, warnings }) => ({
      skills: skills.filter(isKnown).map(skill => ({ ...skill, pinned: true })),
      warnings,
    })),
    skipped: changed.map(({ dir }) => join(dir, SKILL_FILE)),
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
