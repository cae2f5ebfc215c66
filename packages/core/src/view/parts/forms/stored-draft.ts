/** Text that was typed and not sent, kept in this browser so that a reload does not lose it. */

const PREFIX = 'toolwire:draft:'
/** Longer texts are not stored: the storage of a page is small. */
const MOST_CHARACTERS = 100_000

/** '' without one, and where the browser has no storage. */
export function readDraft(key: string | undefined): string {
  if (key === undefined) return ''
  try {
    return globalThis.localStorage?.getItem(PREFIX + key) ?? ''
  } catch {
    return ''
  }
}

/** An empty text removes the draft. Does nothing where storing is not possible. */
export function storeDraft(key: string | undefined, text: string): void {
  if (key === undefined) return
  try {
    if (text === '' || text.length > MOST_CHARACTERS) globalThis.localStorage?.removeItem(PREFIX + key)
    else globalThis.localStorage?.setItem(PREFIX + key, text)
  } catch {
    // The storage is full or switched off: the text lives as long as the page.
  }
}
