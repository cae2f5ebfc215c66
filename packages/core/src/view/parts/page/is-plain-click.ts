/** True if a click on a link is meant for this page. With a modifier key the browser opens a tab or saves. */
export const isPlainClick = (event: {
  readonly button: number
  readonly altKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
}): boolean => event.button === 0 && !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey
