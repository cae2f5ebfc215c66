/** The skill that a person names at the start of a message: `/name`, and what it is to do. */
import type { NamedSkill, SessionState } from '@toolwire/core'
import { loadSkill } from '../skills/load-skill.ts'

const COMMAND = /^\/([A-Za-z0-9][A-Za-z0-9_.-]{0,63})(?:\s+([\s\S]{0,10000}))?$/

/** Undefined for other messages, and for a skill that people cannot load or that is gone. Never throws. */
export async function skillIn(text: string, { context }: SessionState): Promise<NamedSkill | undefined> {
  const [, name, args = ''] = COMMAND.exec(text.trim()) ?? []
  const skill = context?.skills?.find(one => one.name === name && one.for_users !== false)
  if (!skill) return undefined
  const loaded = await loadSkill(skill, args)
  if ('problem' in loaded) return undefined
  const { sha256 } = loaded
  return {
    name: skill.name,
    sha256,
    dir: skill.dir,
    text: `The person asks for this skill.\n\n${loaded.text}`,
  }
}
