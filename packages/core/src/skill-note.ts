/** Notes about skills that an agent has loaded. */
const PREFIX = 'skill:'

/** The note of one skill; its value is a `LoadedSkill`. */
export const skillNote = (name: string): string => `${PREFIX}${name}`

export interface LoadedSkill {
  readonly sha256: string
  /** Canonical. */
  readonly dir: string
  /** The call that loaded it; absent when a person did. */
  readonly call_id?: string
  /** The run of the person's message that named it. */
  readonly run_id?: string
}

/** The loaded skills by name. What is not of that form is left out. Pure. */
export function loadedSkills(
  notes: Readonly<Record<string, unknown>> | undefined,
): readonly (LoadedSkill & { readonly name: string })[] {
  return Object.entries(notes ?? {}).flatMap(([note, value]) => {
    if (!note.startsWith(PREFIX) || typeof value !== 'object' || value === null) return []
    const { sha256, dir, call_id, run_id } = value as Partial<Record<keyof LoadedSkill, unknown>>
    if (typeof sha256 !== 'string' || typeof dir !== 'string') return []
    const by = {
      ...(typeof call_id === 'string' ? { call_id } : {}),
      ...(typeof run_id === 'string' ? { run_id } : {}),
    }
    return [{ name: note.slice(PREFIX.length), sha256, dir, ...by }]
  })
}
