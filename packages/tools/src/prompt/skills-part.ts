/** The skills of a session as its prompt names them. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { SessionSkill, SessionState } from '@toolwire/core'
import { renderCatalogue } from '../skills/catalogue.ts'
import { findSkills, type ListedSkill, type SkillSet } from '../skills/find-skills.ts'
import { SKILL_FILE } from '../skills/scan-skills.ts'
import type { MayLoad } from './instruction-guard.ts'
import type { OwnerPrompt } from './project-part.ts'

export const SKILL_TOOL = 'Skill'

export interface SkillsPart {
  /** Empty when the model is shown none. */
  readonly text: string
  /** Changes with the names and descriptions that models are shown. */
  readonly sha256: string
  readonly skills: readonly SessionSkill[]
  readonly skipped: readonly string[]
  readonly warnings: readonly string[]
}

interface SkillsSource {
  /** Folders of the operator that hold skills. */
  readonly folders: readonly string[]
  readonly trusted: readonly string[]
  readonly owner: OwnerPrompt
  readonly mayLoad: MayLoad
  /** Tokens of the model's window. */
  readonly window: number | undefined
}

/** Of a session that wants none. */
export const NO_SKILLS: SkillsPart = { text: '', sha256: '', skills: [], skipped: [], warnings: [] }

/** `NO_SKILLS` where the session wants none. Never throws. */
export async function readSkills(session: SessionState, source: SkillsSource): Promise<SkillsPart> {
  const wanted = session.created?.context?.skills ?? 'off'
  if (wanted === 'off') return NO_SKILLS
  const trust = { trusted: source.trusted, folders: source.owner.trusted ?? [] }
  const found = await withoutWithheld(
    await findSkills(session.created?.cwd ?? '.', source.folders, trust),
    source.mayLoad,
  )
  const names = Array.isArray(wanted) ? new Set(wanted) : undefined
  const chosen = names ? found.skills.filter(({ name }) => names.has(name)) : found.skills
  const missing = [...(names ?? [])].filter(name => !chosen.some(skill => skill.name === name))
  const shown = chosen.filter(({ for_models }) => for_models)
  const { text, names: listed } = renderCatalogue(shown, source.window)
  return {
    text,
    sha256: hashOf(shown),
    skills: chosen.map(skill => toEntry(skill, listed)),
    skipped: found.skipped,
    warnings: [
      ...found.warnings,
      ...missing.map(name => `There is no skill ${JSON.stringify(name.slice(0, 80))}`),
    ],
  }
}

/** Authors of a project choose the paths of its skills: those that rules of Read withhold are left out. */
async function withoutWithheld(
  found: SkillSet,
  mayLoad: MayLoad,
): Promise<Pick<SkillSet, 'skills' | 'skipped' | 'warnings'>> {
  const files = found.skills
    .filter(({ source }) => source === 'project')
    .map(({ dir }) => join(dir, SKILL_FILE))
  const allowed = await Promise.all(files.map(mayLoad))
  const withheld = new Set(files.filter((_, at) => !allowed[at]))
  return {
    skills: found.skills.filter(({ dir }) => !withheld.has(join(dir, SKILL_FILE))),
    skipped: [...found.skipped, ...withheld],
    warnings: found.warnings,
  }
}

const hashOf = (skills: readonly ListedSkill[]): string =>
  createHash('sha256')
    .update(JSON.stringify(skills.map(({ name, description, dir }) => [name, description, dir])))
    .digest('hex')

const toEntry = (
  { name, dir, sha256, source, for_users, pinned }: ListedSkill,
  listed: readonly string[],
): SessionSkill => ({
  name,
  dir,
  sha256,
  source,
  listed: listed.includes(name),
  ...(for_users ? {} : { for_users }),
  ...(pinned ? { pinned } : {}),
})
