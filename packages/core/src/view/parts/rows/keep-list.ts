/** The list of before while its entries are the same: what depends on it is then not worked out again. */
export const keepList = <Item>(before: readonly Item[], now: readonly Item[]): readonly Item[] =>
  before.length === now.length && before.every((item, i) => item === now[i]) ? before : now
