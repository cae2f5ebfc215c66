/** True if a key belongs to an input method that is still composing: such an Enter sends nothing. */
export const isComposing = (event: { readonly isComposing: boolean; readonly keyCode: number }): boolean =>
  // Safari ends the composition before it reports the key; only the key code shows it.
  event.isComposing || event.keyCode === 229
