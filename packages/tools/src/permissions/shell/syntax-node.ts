/** The tree of a parsed command line as plain data. */
export interface SyntaxNode {
  readonly type?: string
  readonly [key: string]: unknown
}

export const nodes = (value: unknown): readonly SyntaxNode[] =>
  Array.isArray(value) ? (value as SyntaxNode[]) : []

/** Visits everything below, whatever field it is kept in. */
export function walk(value: unknown, visit: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) for (const child of value) walk(child, visit)
  else if (typeof value === 'object' && value !== null) {
    visit(value as SyntaxNode)
    for (const child of Object.values(value)) walk(child, visit)
  }
}
