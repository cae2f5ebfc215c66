import type { Usage } from './event.ts'

/** Where no token was counted yet. */
export const NO_USAGE: Usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }
