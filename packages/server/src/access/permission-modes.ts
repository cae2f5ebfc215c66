/** Modes that decide on calls in advance: choosing one is a decision and needs the same scope. */
import { mustHave, type Principal } from './principal.ts'

const DECIDES: ReadonlySet<string> = new Set(['acceptEdits', 'bypassPermissions'])

/** Throws `forbidden` unless the principal may decide on calls. The server's own default needs no leave. */
export function checkMode(principal: Principal, mode: string | null | undefined, standard: string): void {
  if (mode === undefined || mode === null || mode === standard || !DECIDES.has(mode)) return
  mustHave(principal, 'approve')
}
