/** The parts of a small source file, found by its lines: comments to do, functions, what they return. Pure. */
export interface CodePart {
  readonly kind: 'todo' | 'import' | 'function' | 'main'
  /** First line, counted from 1. */
  readonly line: number
  readonly name: string
  readonly signature: string
  /** The returned expression, if it is on one line. */
  readonly returns?: string
  readonly hasComment: boolean
}

const FUNCTION = /^\s*(?:export\s+)?(?:async\s+)?(?:function|def)\s+(\w+)\s*(\(.*)$/
const TODO = /(?:#|\/\/|\/\*)\s*(?:TODO|FIXME|待办|待辦)[:：]?\s*(.*)$/

export function outline(lines: readonly string[]): readonly CodePart[] {
  return lines.flatMap((text, at): readonly CodePart[] => {
    const line = at + 1
    const todo = TODO.exec(text)?.[1]
    if (todo !== undefined)
      return [{ kind: 'todo', line, name: todo, signature: text.trim(), hasComment: true }]
    if (/^\s*(?:import\b|from \S+ import\b)/.test(text))
      return [{ kind: 'import', line, name: text.trim(), signature: text.trim(), hasComment: false }]
    if (/^if __name__ ==/.test(text))
      return [{ kind: 'main', line, name: '__main__', signature: text.trim(), hasComment: false }]
    const found = FUNCTION.exec(text)
    if (!found) return []
    const body = lines.slice(line, line + 12)
    const returns = body.map(one => /^\s*return (.+?);?$/.exec(one)?.[1]).find(one => one !== undefined)
    const hasComment =
      /^\s*(?:"""|''')/.test(body[0] ?? '') || /^\s*(?:\*\/|\/\*\*.*\*\/)\s*$/.test(lines[at - 1] ?? '')
    const signature = text.trim().replace(/\s*[{:]\s*$/, '')
    return [
      {
        kind: 'function',
        line,
        name: found[1] ?? '',
        signature,
        hasComment,
        ...(returns === undefined ? {} : { returns }),
      },
    ]
  })
}
