/** Whether a key belongs to an input method that is still choosing characters: such an Enter sends nothing. */
export const isComposing = (event: { readonly isComposing: boolean; readonly keyCode: number }): boolean =>
  // Safari ends the composition before it reports the key, and tells only by the code.
  event.isComposing || event.keyCode === 229
