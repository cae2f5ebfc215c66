/** Loaded skills in a compaction: their texts follow the summary as they were. Pure. */
import { type AgentState, type HistoryMessage, loadedSkills } from '@toolwire/core'

/** Before each text. */
export const SKILLS_AFTER = '\n\nA skill that was loaded, as it was:\n'

const MAX_CHARACTERS = 48_000
const CHARACTERS_PER_TOKEN = 4
/** Part of the window that they may take. */
const SHARE = 0.25

/** Calls that loaded the skills that the agent has. */
export const skillCalls = ({ notes }: Pick<AgentState, 'notes'>): readonly string[] =>
  loadedSkills(notes).flatMap(({ call_id }) => (call_id === undefined ? [] : [call_id]))

interface SkillResult {
  readonly call_id: string
  readonly text: string
}

/** The results of these calls in messages that a summary replaces: whole ones, the latest first, as many as fit. */
export function skillsToRepeat(
  replaced: readonly HistoryMessage[],
  calls: readonly string[],
  window: number | undefined,
): readonly SkillResult[] {
  const found = replaced.flatMap(message =>
    message.role === 'tool'
      ? message.results.flatMap(({ call_id, output_text, is_error }) =>
          calls.includes(call_id) && !is_error ? [{ call_id, text: output_text }] : [],
        )
      : [],
  )
  const share = window === undefined ? MAX_CHARACTERS : window * SHARE * CHARACTERS_PER_TOKEN
  let room = Math.min(MAX_CHARACTERS, share)
  return found.toReversed().filter(({ text }) => {
    if (text.length > room) return false
    room -= text.length
    return true
  })
}

/** An earlier summary without the texts behind it, which are taken from the log again. */
export const withoutSkills = (summary: string | undefined): string | undefined =>
  summary?.split(SKILLS_AFTER, 1)[0]
