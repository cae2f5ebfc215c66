/** Simplified Chinese, as one chunk. */
export { zhHans as parts } from '@toolwire/core/strings'
export { appZhHans as app } from './app-zh-hans.ts'
