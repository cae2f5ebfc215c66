/** Lists of models that a caller may use: ids, or the beginning of ids with `*` at the end, such as `anthropic/*`. */

/** True for every model when there is no list. Pure. */
export const isAllowedModel = (allowed: readonly string[] | null | undefined, id: string): boolean =>
  !allowed || allowed.some(one => (one.endsWith('*') ? id.startsWith(one.slice(0, -1)) : one === id))
