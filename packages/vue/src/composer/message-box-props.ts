/** Properties of the message field. */
export type { Draft, MessageBoxSettings as MessageBoxProps, SendMode } from '@toolwire/core/parts'
