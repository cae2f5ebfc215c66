/** Reads a skill as its text goes to a model: the body, its folder, and the names of the files beside it. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { quoteInline, type SessionSkill } from '@toolwire/core'
import { listDirectory } from '../safe-files/held-directory.ts'
import { readSkillText, SKILL_FILE } from './scan-skills.ts'
import { readSkillFile, skillBody } from './skill-file.ts'

/** Characters of a body that are loaded; the rest is in its file. */
const MAX_BODY = 100_000
const MAX_FILES = 50
const MAX_FOLDERS = 100
const MAX_DEPTH = 4

export interface SkillText {
  readonly text: string
  readonly sha256: string
  /** Permission rules that it wishes for. */
  readonly allowed_tools: readonly string[]
}

type SkillProblem = { readonly problem: string; readonly code: 'skill_gone' | 'skill_changed' }

/** The skill as its file is now. Never throws. */
export async function loadSkill(
  skill: Pick<SessionSkill, 'name' | 'dir' | 'sha256' | 'pinned'>,
  args = '',
): Promise<SkillText | SkillProblem> {
  const text = await readSkillText(skill.dir)
  if (typeof text !== 'string') return { problem: text.problem, code: 'skill_gone' }
  const sha256 = createHash('sha256').update(text).digest('hex')
  if (skill.pinned && sha256 !== skill.sha256)
    return { problem: 'its file has changed since its folder was trusted', code: 'skill_changed' }
  const file = readSkillFile(text, skill.name)
  if ('problem' in file) return { problem: file.problem, code: 'skill_gone' }
  const { allowed_tools } = file
  return { text: await render(skill, skillBody(text), args), sha256, allowed_tools }
}

async function render(
  { name, dir }: Pick<SessionSkill, 'name' | 'dir'>,
  body: string,
  args: string,
): Promise<string> {
  const { names, more } = await filesOf(dir)
  const files = [...names.map(one => quoteInline(one, 300)), ...(more > 0 ? [`and ${more} more`] : [])]
  const rest =
    body.length > MAX_BODY
      ? `\n[${body.length - MAX_BODY} characters more are in ${join(dir, SKILL_FILE)}]`
      : ''
  const filled = body.includes('$ARGUMENTS') ? body.replaceAll('$ARGUMENTS', () => args) : body
  return [
    `Skill ${name}. Its folder: ${dir}`,
    ...(files.length > 0 ? [`Files in it: ${files.join(', ')}`] : []),
    ...(args !== '' && filled === body ? [`Arguments: ${args}`] : []),
    '',
    `${filled.slice(0, MAX_BODY)}${rest}`,
  ].join('\n')
}

/** Relative paths without the SKILL.md itself. */
async function filesOf(root: string): Promise<{ readonly names: readonly string[]; readonly more: number }> {
  const names: string[] = []
  const folders = [{ path: '', depth: 0 }]
  let seen = 0
  for (let folder = folders.shift(); folder && seen < MAX_FOLDERS; folder = folders.shift()) {
    seen++
    const entries = await listDirectory(join(root, folder.path)).catch(() => [])
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder.path, entry.name)
      if (entry.isFile() && path !== SKILL_FILE) names.push(path)
      else if (entry.isDirectory() && folder.depth < MAX_DEPTH && entry.name !== '.git')
        folders.push({ path, depth: folder.depth + 1 })
    }
  }
  return { names: names.slice(0, MAX_FILES), more: Math.max(0, names.length - MAX_FILES) }
}
