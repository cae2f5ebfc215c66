/** One thing the user asks for, freed from language and from the tools at hand. */
export type Intent =
  | { readonly type: 'list'; readonly path?: string }
  | { readonly type: 'read'; readonly path: string }
  | { readonly type: 'search'; readonly pattern: string; readonly path?: string }
  | { readonly type: 'find'; readonly pattern: string }
  | { readonly type: 'run'; readonly command: string }
  | { readonly type: 'write'; readonly path: string; readonly content: string }
  | { readonly type: 'edit'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly type: 'time' }
  | { readonly type: 'weather'; readonly place: string; readonly query: string }
  | { readonly type: 'web'; readonly query: string }
  | { readonly type: 'fetch'; readonly url: string }
  | { readonly type: 'remember'; readonly note: string }
  | { readonly type: 'recall' }
  | { readonly type: 'agent'; readonly prompt: string }
  /** A tool chosen by its own words; see match-tool.ts. */
  | { readonly type: 'tool'; readonly name: string; readonly input: unknown }

/** Intents of a later stage wait for those of an earlier one ("…, then …"). */
export interface StagedIntent {
  readonly intent: Intent
  readonly stage: number
}
