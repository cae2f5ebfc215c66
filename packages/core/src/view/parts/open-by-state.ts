/** Which cards are open when nobody chose. */
import { isFinal, type ToolState } from '../view.ts'

/** `compact`: only what needs somebody is open. `everything`: all of it. */
export type Density = 'compact' | 'normal' | 'everything'

export function isOpenByState(state: ToolState, density: Density): boolean {
  if (state === 'awaiting_approval' || state === 'awaiting_client') return true
  if (density === 'everything') return true
  return density === 'normal' && !isFinal(state) && state !== 'building' && state !== 'queued'
}
