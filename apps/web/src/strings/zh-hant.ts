/** Traditional Chinese, as one chunk. */
export { zhHant as parts } from '@toolwire/core/strings'
export { appZhHant as app } from './app-zh-hant.ts'
