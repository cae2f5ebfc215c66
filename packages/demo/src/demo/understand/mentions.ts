/** Values that a text mentions: quoted strings, paths, numbers, addresses. Pure lookups, in order of appearance. */
const QUOTES = /"([^"]+)"|'([^']+)'|`([^`]+)`|“([^”]+)”|‘([^’]+)’|「([^」]+)」|『([^』]+)』|《([^》]+)》/gu
const PATHS = /(?:[\w@~.-]*[\\/])*[\w@~-][\w@~.-]*\.[A-Za-z][A-Za-z0-9]{0,7}\b|[\w@~.-]*\/[\w@~./-]*[\w@~-]/g
const NUMBERS =
  /(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])|(?<=\p{Script=Han})-?\d+(?:\.\d+)?|-?\d+(?:\.\d+)?(?=\s*(?:°|%|px|ms|s\b|kb|k\b|\p{Script=Han}))/giu

/** Without the quotes around it, if it has any. */
export function unquote(text: string): string {
  const trimmed = text.trim()
  QUOTES.lastIndex = 0
  const match = QUOTES.exec(trimmed)
  return match && match[0].length === trimmed.length
    ? (match.slice(1).find(group => group !== undefined) ?? '')
    : trimmed
}

/** Texts in quotes or code marks. */
export const quotesIn = (text: string): readonly string[] =>
  [...text.matchAll(QUOTES)].map(match => match.slice(1).find(group => group !== undefined) ?? '')

/** File paths, `first` before the others, each once. */
export function pathsIn(text: string, first?: string): readonly string[] {
  const bare = text.replace(/https?:\/\/\S+/g, '')
  const all = [...(first ? [first] : []), ...[...bare.matchAll(PATHS)].map(match => match[0])]
  return [...new Set(all)].filter(path => !first || path === first || !first.includes(path))
}

export interface NumberMention {
  readonly value: number
  readonly at: number
}

export function numbersIn(text: string): readonly NumberMention[] {
  return [...text.matchAll(NUMBERS)].flatMap(match => {
    const value = Number(match[0])
    return Number.isFinite(value) ? [{ value, at: match.index }] : []
  })
}

/** An address; characters that addresses may not hold are escaped. */
export function urlIn(text: string): string | undefined {
  const found = /https?:\/\/[^\s，。"'<>]+/u.exec(text)?.[0]
  if (found === undefined || !URL.canParse(found)) return undefined
  return /^[\x21-\x7e]+$/.test(found) && !/[\\^`{|}]/.test(found) ? found : new URL(found).href
}

export const emailIn = (text: string): string | undefined =>
  /(?<![\w.+-])[\w+-]+(?:\.[\w+-]+)*@[a-z0-9]+(?:[.-][a-z0-9]+)*\.[a-z]{2,}/i.exec(text)?.[0]

/** A calendar day that exists. */
export function dateIn(text: string): string | undefined {
  return text.match(/(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/g)?.find(day => {
    const time = Date.parse(`${day}T00:00:00Z`)
    return Number.isFinite(time) && new Date(time).toISOString().startsWith(day)
  })
}
