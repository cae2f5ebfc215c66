/** The skills of folders, for routes. */
import type { SkillPort } from '@toolwire/server'
import { canonicalPath, findSkills } from '@toolwire/tools'
import type { Config } from './config.ts'

/** The operator chose the workspace, so its skills are loaded, as those of the trusted folders are. */
export function serveSkills(
  { skills, prompt }: Pick<Config, 'skills' | 'prompt'>,
  workspace: string,
): SkillPort {
  const folders = [workspace, ...prompt.trusted].map(canonicalPath)
  return {
    async list(cwd, trusted) {
      const found = await findSkills(cwd, skills.folders, { trusted: folders, folders: trusted })
      const all = [...found.skills, ...found.shadowed].map(({ dir, pinned: _, ...skill }) => ({
        ...skill,
        path: dir,
      }))
      const byName = all.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
      return { skills: byName, skipped: found.skipped, warnings: found.warnings }
    },
  }
}
