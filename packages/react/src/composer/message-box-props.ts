/** Properties of the message field. */
import type { MessageBoxSettings } from '@toolwire/core/parts'
import type { ReactNode } from 'react'

export type { Draft, SendMode } from '@toolwire/core/parts'

export interface MessageBoxProps extends MessageBoxSettings {
  readonly children?: ReactNode
}
