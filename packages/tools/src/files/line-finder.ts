/** On which line a position of a text is. */

/** The function returns the 1-based line of an index. Going forward costs what lies between two indexes. */
export function createLineFinder(view: string): (index: number) => number {
  const nextBreak = (from: number): number => {
    const at = view.indexOf('\n', from)
    return at === -1 ? Number.POSITIVE_INFINITY : at
  }
  let line = 1
  let start = 0
  let end = nextBreak(0)
  return index => {
    if (index < start) {
      line = 1
      end = nextBreak(0)
    }
    for (; end < index; end = nextBreak(start)) {
      line++
      start = end + 1
    }
    return line
  }
}
