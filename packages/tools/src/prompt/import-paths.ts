/** The paths that an instruction file imports: words such as `@docs/style.md` outside of code. Pure. */

const MAX_IMPORTS = 64
const MAX_PATH = 1_000

/** In the order of the text, each once. Addresses are no paths. */
export function importsOf(text: string): readonly string[] {
  const found = new Set<string>()
  let fence: string | undefined
  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      continue
    }
    if (mark !== undefined) {
      fence = mark
      continue
    }
    for (const path of pathsIn(line)) {
      if (found.size >= MAX_IMPORTS) return [...found]
      found.add(path)
    }
  }
  return [...found]
}

/** Spans between backticks are code. */
function pathsIn(line: string): readonly string[] {
  const prose = line.split('`').filter((_, at) => at % 2 === 0)
  return prose.flatMap(piece =>
    piece.split(/\s+/).flatMap(word => {
      const path = word.startsWith('@') ? word.slice(1).replace(/[.,;:!?)\]]+$/, '') : ''
      return path === '' || path.length > MAX_PATH || path.includes('://') ? [] : [path]
    }),
  )
}
