/** The kinds of subagents that the Agent tool can start. */
export interface AgentType {
  /** Usage guidance for the model. */
  readonly description: string
  readonly system: string
  /** A subset of its parent's tools; all of them if absent. A trailing `*` matches any ending. */
  readonly tools?: readonly string[]
  /** The parent's when absent. */
  readonly model?: string
  readonly max_turns?: number
}

export type AgentTypes = Readonly<Record<string, AgentType>>

/** Tools that cannot change anything, whatever they are called with. */
export const READING_TOOLS: readonly string[] = ['LS', 'Read', 'Glob', 'Grep']

export const DEFAULT_TYPE = 'general-purpose'

export const AGENT_TYPES: AgentTypes = {
  [DEFAULT_TYPE]: {
    description: 'Searches, reads and changes things in several steps.',
    system: [
      'You carry out one task for another agent, which sees nothing of your work but your last message.',
      'Do exactly what the task asks, with the tools you have. Do not ask questions back.',
      'End with a message that reports what you found or did, with absolute file paths, and what is left open.',
    ].join('\n'),
  },
  explore: {
    description: 'Answers a question about the files without being able to change them.',
    system: [
      'You answer one question about the files in the workspace for another agent, which sees only your last message.',
      'Search broadly, read what matters, and change nothing.',
      'End with the answer: absolute paths with line numbers, and how sure you are.',
    ].join('\n'),
    tools: READING_TOOLS,
  },
}
