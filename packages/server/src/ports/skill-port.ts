/** The skills of a folder, as routes list them. */
export interface SkillPort {
  /** `trusted` are the folders of the owner with the hashes of their files. Never throws. */
  readonly list: (
    workspace: string,
    trusted: readonly { readonly path: string; readonly files: Readonly<Record<string, string>> }[],
  ) => Promise<SkillListing>
}

interface SkillListing {
  /** Shadowed ones follow the one of their name. */
  readonly skills: readonly ListedSkillView[]
  readonly skipped: readonly string[]
  readonly warnings: readonly string[]
}

interface ListedSkillView {
  readonly name: string
  readonly description: string
  readonly source: 'operator' | 'project'
  readonly path: string
  readonly sha256: string
  readonly allowed_tools: readonly string[]
  readonly for_models: boolean
  readonly for_users: boolean
  /** The folder of the skill that replaces it. */
  readonly shadowed_by?: string
  readonly warnings: readonly string[]
}
