/** Agents in files of a folder, for sessions that begin as one of them. */
export interface ProjectAgentPort {
  /**
   * Undefined where no trusted file describes it. `trusted` are the folders of the owner with the hashes of their files.
   * Never throws.
   */
  readonly find: (
    workspace: string,
    trusted: readonly { readonly path: string; readonly files: Readonly<Record<string, string>> }[],
    name: string,
  ) => Promise<ProjectAgent | undefined>
}

interface ProjectAgent {
  readonly sha256: string
  readonly description: string
  readonly system: string
  readonly tools?: readonly string[]
  readonly max_turns?: number
}
