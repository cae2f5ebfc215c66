/** For buttons whose next click means more than the one before: a key that is held down presses them once. */
export function noRepeat(event: { readonly repeat: boolean; readonly preventDefault: () => void }): void {
  if (event.repeat) event.preventDefault()
}
