import type { Usage } from './event.ts'

/** The count before any token. */
export const NO_USAGE: Usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }
