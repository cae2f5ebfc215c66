/** Cache marks of a request. The model that is asked sets marks itself, so only the wish is kept. Pure but for the warnings. */
import type { Warnings } from './warning.ts'

const MAX_DEPTH = 6
const OPAQUE: ReadonlySet<string> = new Set([
  'input',
  'input_schema',
  'parameters',
  'source',
  'image_url',
  'file',
])

/** The requested cache lifetime: `1h` if any mark asks for it; undefined otherwise. */
export function readCacheWish(body: unknown, warnings: Warnings): '1h' | undefined {
  const marks = findMarks(body, 0)
  if (marks.length === 0) return undefined
  warnings.note(
    'cache_marks_moved',
    'cache_control: the gateway sets the marks itself, after the instructions and after the last three user turns.',
  )
  return marks.some(mark => 'ttl' in mark && mark.ttl === '1h') ? '1h' : undefined
}

/** Marks are on blocks, tools and the request itself; call arguments and schemas are not searched. */
function findMarks(value: unknown, depth: number): readonly object[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  if (Array.isArray(value)) return value.flatMap(one => findMarks(one, depth + 1))
  return Object.entries(value).flatMap(([name, inner]): readonly object[] => {
    if (name === 'cache_control') return typeof inner === 'object' && inner !== null ? [inner] : []
    return OPAQUE.has(name) ? [] : findMarks(inner, depth + 1)
  })
}
