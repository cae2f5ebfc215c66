/** Long work in pieces: between two of them the page can take a key and draw. */

interface Scheduler {
  readonly yield?: () => Promise<void>
}

/**
 * Resolves in a later task, so that input events go first. At once on a hidden page, whose timers are slow. Never
 * throws.
 */
export async function yieldToBrowser(): Promise<void> {
  if (globalThis.document?.hidden !== false) return
  const { scheduler } = globalThis as { readonly scheduler?: Scheduler }
  await (scheduler?.yield?.() ?? new Promise(resolve => setTimeout(resolve)))
}
