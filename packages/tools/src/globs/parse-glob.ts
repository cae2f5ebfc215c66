/** A glob as a list of steps, for those who walk it without an expression. It means what it means to picomatch, oddities included. */

export type GlobStep =
  /** One character. */
  | { readonly type: 'char'; readonly fits: (char: string) => boolean }
  /** Any characters of one name. */
  | { readonly type: 'star' }
  /** Any number of whole directories, with their slashes. */
  | { readonly type: 'directories' }
  /** Everything below; the end of the path too, unless a star stands before it. */
  | { readonly type: 'below'; readonly orEnd: boolean }
  /** One of these, `least` times or more often where it may repeat. */
  | {
      readonly type: 'ways'
      readonly ways: readonly (readonly GlobStep[])[]
      readonly least: 0 | 1
      readonly repeats: boolean
    }

/** Undefined for what is not understood here. Never throws. */
export function parseGlob(glob: string): readonly GlobStep[] | undefined {
  const reader = { glob, at: 0, depth: 0 }
  const steps = readSteps(reader, '')
  return steps && reader.at === glob.length ? steps : undefined
}

interface GlobReader {
  readonly glob: string
  at: number
  depth: number
}

/** Nesting limit of alternatives. */
const MAX_DEPTH = 20

const literal = (wanted: string): GlobStep => ({ type: 'char', fits: char => char === wanted })
const ANY: GlobStep = { type: 'char', fits: char => char !== '/' }

/** Steps up to one of the characters of `until`, which is left. */
function readSteps(reader: GlobReader, until: string): GlobStep[] | undefined {
  const steps: GlobStep[] = []
  while (reader.at < reader.glob.length && !until.includes(reader.glob.charAt(reader.at))) {
    const step = readStep(reader)
    if (!step) return undefined
    steps.push(...step)
  }
  return steps
}

function readStep(reader: GlobReader): readonly GlobStep[] | undefined {
  const { glob, at } = reader
  const char = glob.charAt(at)
  if (glob.charAt(at + 1) === '(' && '@?+*!'.includes(char)) return readExtended(reader)
  if (char === '*') return readStars(reader)
  if (char === '{') return readWays(reader, '{', ',', '}')
  if (char === '[') return readClass(reader)
  if (char === '/' && /^\/\*\*(?=$|[,}])/.test(glob.slice(at, at + 4))) {
    reader.at += 3
    return [{ type: 'below', orEnd: glob.charAt(at - 1) !== '*' }]
  }
  if (char === '\\') reader.at += 1
  const said = glob.charAt(reader.at)
  reader.at += 1
  if (said === '') return undefined
  return [char === '?' ? ANY : literal(said)]
}

function readStars(reader: GlobReader): readonly GlobStep[] {
  const { glob, at } = reader
  let end = at
  while (glob.charAt(end) === '*') end += 1
  reader.at = end
  const opens = at === 0 || '/{,('.includes(glob.charAt(at - 1))
  if (end - at !== 2 || !opens) return [{ type: 'star' }]
  if (glob.charAt(end) === '/') {
    reader.at = end + 1
    return [{ type: 'directories' }]
  }
  return end === glob.length ? [{ type: 'directories' }, { type: 'star' }] : [{ type: 'star' }]
}

function readExtended(reader: GlobReader): readonly GlobStep[] | undefined {
  const kind = reader.glob.charAt(reader.at)
  // A negation depends on everything after it.
  if (kind === '!') return undefined
  reader.at += 1
  const [step] = readWays(reader, '(', '|', ')') ?? []
  if (step?.type !== 'ways') return undefined
  // Behind an alternative a question mark makes it one that may be missing.
  const maybe = reader.glob.charAt(reader.at) === '?' && reader.glob.charAt(reader.at + 1) !== '('
  if (maybe) reader.at += 1
  return [
    {
      ...step,
      least: kind === '?' || kind === '*' || (maybe && kind !== '+') ? 0 : 1,
      repeats: kind === '+' || kind === '*',
    },
  ]
}

function readWays(
  reader: GlobReader,
  open: string,
  between: string,
  close: string,
): readonly GlobStep[] | undefined {
  reader.depth += 1
  if (reader.depth > MAX_DEPTH || reader.glob.charAt(reader.at) !== open) return undefined
  const ways: (readonly GlobStep[])[] = []
  do {
    reader.at += 1
    const way = readSteps(reader, between + close)
    if (!way) return undefined
    ways.push(way)
  } while (reader.glob.charAt(reader.at) === between)
  // Without its end it is a character like others, and `{1..3}` is a range: neither is worth knowing here.
  if (reader.glob.charAt(reader.at) !== close || (open === '{' && ways.length === 1)) return undefined
  reader.at += 1
  reader.depth -= 1
  return [{ type: 'ways', ways, least: 1, repeats: false }]
}

function readClass(reader: GlobReader): readonly GlobStep[] | undefined {
  const found = /^\[(\^?)([^\]\\[/]+)\]/.exec(reader.glob.slice(reader.at))
  if (!found) return undefined
  reader.at += found[0].length
  const [, not, inside = ''] = found
  const fits = classOf(inside)
  if (!fits) return undefined
  return [{ type: 'char', fits: char => char !== '/' && fits(char) === (not === '') }]
}

function classOf(inside: string): ((char: string) => boolean) | undefined {
  const ranges: (readonly [string, string])[] = []
  for (let at = 0; at < inside.length; at++) {
    const first = inside.charAt(at)
    const isRange = inside.charAt(at + 1) === '-' && at + 2 < inside.length
    const last = isRange ? inside.charAt(at + 2) : first
    if (last < first) return undefined
    ranges.push([first, last])
    if (isRange) at += 2
  }
  return ranges.length === 0 ? undefined : char => ranges.some(([from, to]) => char >= from && char <= to)
}
