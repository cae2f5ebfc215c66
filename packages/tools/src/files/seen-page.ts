/** True if the very same lines were read before and are still in the conversation. */
import type { ToolContext } from '@toolwire/core'

interface SeenPage {
  readonly sha256: string | undefined
  readonly first: number
  readonly last: number
}

const NOTE = 'page:'

/**
 * True when this page was shown with the same content by a call whose result is still part of
 * the conversation. Otherwise remembers that this call shows it.
 */
export function isSeenInContext(context: ToolContext, path: string, page: SeenPage): boolean {
  if (page.sha256 === undefined) return false
  const name = `${NOTE}${path}:${page.first}-${page.last}`
  const before = context.notes.get(name) as
    | { readonly sha256?: string; readonly call_id?: string }
    | undefined
  if (before?.sha256 === page.sha256 && before.call_id !== undefined && context.isInHistory(before.call_id))
    return true
  context.notes.set(name, { sha256: page.sha256, call_id: context.call_id })
  return false
}
