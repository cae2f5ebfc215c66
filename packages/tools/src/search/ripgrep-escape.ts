/** Escapes of ripgrep's patterns in JavaScript syntax. Pure. */

/** The pattern is wrong, or has no form in JavaScript; the message says which. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

interface Escape {
  /** `class` matches several characters, `literal` one, `assertion` none. */
  readonly type: 'class' | 'literal' | 'assertion'
  readonly text: string
  /** Its length in the pattern. */
  readonly length: number
}

const WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]'
const AFTER = `(?<=${WORD})`
const BEFORE = `(?=${WORD})`
const NOT_AFTER = `(?<!${WORD})`
const NOT_BEFORE = `(?!${WORD})`

const CLASSES: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  s: '\\p{White_Space}',
  S: '\\P{White_Space}',
  w: WORD,
  W: `[^${WORD}]`,
}

const ASSERTIONS: Readonly<Record<string, string>> = {
  b: `${AFTER}${NOT_BEFORE}|${NOT_AFTER}${BEFORE}`,
  B: `${AFTER}${BEFORE}|${NOT_AFTER}${NOT_BEFORE}`,
  '<': `${NOT_AFTER}${BEFORE}`,
  '>': `${AFTER}${NOT_BEFORE}`,
}

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, a: 7 }

/** The escape at this place. Throws `PatternError`. Line ends are refused unless patterns may span lines. */
export function escapeAt(pattern: string, at: number, multiline: boolean): Escape {
  const rest = pattern.slice(at)
  const [, char = ''] = /^\\(.)/su.exec(rest) ?? []
  if (char === '') throw new PatternError('incomplete escape sequence')
  const found = CLASSES[char]
  if (found !== undefined) return { type: 'class', text: found, length: 2 }
  if (rest.startsWith('\\b{')) throw new PatternError('\\b{…} is not understood without ripgrep')
  const assertion = ASSERTIONS[char]
  if (assertion !== undefined) return { type: 'assertion', text: assertion, length: 2 }
  if (char === 'p' || char === 'P') return property(rest)
  const code = codeAt(rest, char)
  if (code) return oneCharacter(code.value, code.length, multiline)
  return literal(char)
}

function literal(char: string): Escape {
  if (char === 'A' || char === 'z') throw new PatternError(`\\${char} is not understood without ripgrep`)
  if (/[A-Za-z]/.test(char)) throw new PatternError(`unrecognized escape sequence \\${char}`)
  if (/\d/.test(char)) throw new PatternError('backreferences are not supported')
  if (char > '\u007f') throw new PatternError(`unrecognized escape sequence \\${char}`)
  return { type: 'literal', text: quote(char), length: 2 }
}

/** A literal character of a pattern or a class. */
export const quote = (char: string): string =>
  /[\^$\\.*+?()[\]{}|/&!#%,:;<=>@`~-]/.test(char) ? `\\u{${char.codePointAt(0)?.toString(16)}}` : char

function codeAt(rest: string, char: string): { readonly value: number; readonly length: number } | undefined {
  const control = CONTROLS[char]
  if (control !== undefined) return { value: control, length: 2 }
  const hex = /^\\(?:[xuU]\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))/.exec(
    rest,
  )
  if (!hex) return undefined
  return { value: Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? hex[4] ?? '', 16), length: hex[0].length }
}

function oneCharacter(value: number, length: number, multiline: boolean): Escape {
  if (value > 0x10ffff) throw new PatternError('hexadecimal literal is not a Unicode scalar value')
  if (!multiline && value === 10) throw new PatternError('the literal "\\n" is not allowed without multiline')
  if (value === 13) throw new PatternError('\\r is not understood without ripgrep')
  return { type: 'literal', text: `\\u{${value.toString(16)}}`, length }
}

/** `\pL`, `\p{Greek}`: names of scripts need no key. */
function property(rest: string): Escape {
  const found = /^\\([pP])(?:\{([\w=]+)\}|([A-Z]))/.exec(rest)
  const name = found?.[2] ?? found?.[3]
  if (!found || name === undefined) throw new PatternError('Unicode property not found')
  const forms = [`\\${found[1]}{${name}}`, `\\${found[1]}{Script=${name}}`]
  const text = forms.find(form => {
    try {
      return new RegExp(form, 'v')
    } catch {
      return false
    }
  })
  if (text === undefined) throw new PatternError(`the property ${name} is not understood without ripgrep`)
  return { type: 'class', text, length: found[0].length }
}
