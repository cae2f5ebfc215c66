/** Default open state of cards. */
import { isFinal, type ToolState } from '../../view.ts'

/** `compact`: only cards that need the user are open. `everything`: all are open. */
export type Density = 'compact' | 'normal' | 'everything'

export function isOpenByState(state: ToolState, density: Density): boolean {
  if (state === 'awaiting_approval' || state === 'awaiting_client') return true
  if (density === 'everything') return true
  return density === 'normal' && !isFinal(state) && state !== 'building' && state !== 'queued'
}
