/** Whether a click on a link is meant for this page: with a key held down it opens a tab or saves, which is the browser's. */
export const isPlainClick = (event: {
  readonly button: number
  readonly altKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
}): boolean => event.button === 0 && !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey
