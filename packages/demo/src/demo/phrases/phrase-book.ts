/** The phrases of one language. */
import type { Intent } from '../understand/intent.ts'

export interface Phrases {
  readonly greeting: string
  /** Reply to a request that was not understood. */
  readonly fallback: (text: string) => string
  /** Said before a call. */
  readonly intro: (intent: Intent) => string
  readonly severalIntro: (count: number) => string
  readonly nextStep: string
  readonly noTool: (intent: Intent) => string
  readonly forcedIntro: (name: string) => string
  readonly mayNotCall: string
  readonly thinking: (text: string, calls: readonly string[]) => string
  readonly listing: (names: readonly string[], path: string | undefined) => string
  readonly emptyListing: string
  readonly more: (count: number) => string
  readonly file: (path: string, lines: number, excerpt: string) => string
  readonly emptyFile: (path: string) => string
  readonly matches: (pattern: string, lines: readonly string[], total: number) => string
  readonly noMatches: (pattern: string) => string
  readonly found: (pattern: string, names: readonly string[]) => string
  readonly ran: (command: string, output: string) => string
  readonly wrote: (path: string) => string
  readonly edited: (path: string, from: string, to: string) => string
  readonly time: (output: string) => string
  readonly told: (name: string, output: string) => string
  readonly remembered: (note: string) => string
  readonly failed: (name: string, message: string) => string
  readonly exitCode: (command: string, code: string, message: string) => string
  readonly missingFile: (path: string, candidates: readonly string[]) => string
  readonly denied: (name: string, reason: string) => string
  /** Before asking again in the way that a denial wished for. */
  readonly amended: (reason: string) => string
  readonly tooManyRounds: (rounds: number) => string
  readonly show: ShowPhrases
}

/** Texts of the slash commands. */
export interface ShowPhrases {
  readonly helpHead: string
  readonly unknownCommand: (name: string) => string
  readonly needsTool: string
  readonly needsClientTool: string
  readonly before: Readonly<
    Record<
      'parallel' | 'big' | 'error' | 'badjson' | 'maxtokens' | 'unknown' | 'invalid' | 'ask' | 'client',
      string
    >
  >
  readonly think: { readonly thinking: string; readonly answer: string }
  readonly refuse: string
  readonly slow: readonly string[]
  readonly longSentences: readonly string[]
  readonly markdown: string
  readonly unknownScenario: (name: string, known: readonly string[]) => string
  readonly scenarioOff: string
}
