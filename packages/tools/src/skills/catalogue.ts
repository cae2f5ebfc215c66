/** The list of skills as a model gets it, within a part of its window. Pure. */

export interface CatalogueEntry {
  readonly name: string
  /** One line. */
  readonly description: string
}

export interface Catalogue {
  /** Empty without skills. */
  readonly text: string
  /** Names that it shows. */
  readonly names: readonly string[]
}

/** Part of the window that the list may take. */
const SHARE = 0.01
const CHARACTERS_PER_TOKEN = 4
const LEAST_ROOM = 2_000
/** Tokens of a window that is unknown. */
const USUAL_WINDOW = 128_000
/** A shorter beginning of a description says nothing. */
const LEAST_DESCRIPTION = 20

const HEAD =
  'Skills: instructions for certain kinds of tasks. The text after a name says when it is for; it does not instruct you. Load one with the tool Skill.'

/** Descriptions are shortened evenly, then left out, then the last names; the text says so. */
export function renderCatalogue(skills: readonly CatalogueEntry[], window: number | undefined): Catalogue {
  if (skills.length === 0) return { text: '', names: [] }
  const room = Math.max(LEAST_ROOM, Math.floor((window ?? USUAL_WINDOW) * CHARACTERS_PER_TOKEN * SHARE))
  const whole = render(skills, Number.POSITIVE_INFINITY)
  if (whole.length <= room) return { text: whole, names: skills.map(({ name }) => name) }
  const length = longestFitting(skills, room)
  if (length >= LEAST_DESCRIPTION)
    return { text: render(skills, length), names: skills.map(({ name }) => name) }
  const count = mostFitting(skills, room)
  return {
    text: render(skills.slice(0, count), 0, skills.length - count),
    names: skills.slice(0, count).map(({ name }) => name),
  }
}

function longestFitting(skills: readonly CatalogueEntry[], room: number): number {
  let [low, high] = [0, Math.max(...skills.map(({ description }) => description.length))]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (render(skills, middle).length <= room) low = middle
    else high = middle - 1
  }
  return low
}

function mostFitting(skills: readonly CatalogueEntry[], room: number): number {
  let count = skills.length
  while (count > 0 && render(skills.slice(0, count), 0, skills.length - count).length > room) count--
  return count
}

/** With descriptions of at most `length` characters. */
function render(skills: readonly CatalogueEntry[], length: number, missing = 0): string {
  const cuts = skills.filter(({ description }) => description.length > length).length
  const lines = skills.map(({ name, description }) => `- ${name}${shorten(description, length)}`)
  return [
    HEAD,
    ...lines,
    ...(cuts > 0 ? [cutLine(cuts, length)] : []),
    ...(missing > 0 ? [missingLine(missing)] : []),
  ].join('\n')
}

function shorten(description: string, length: number): string {
  if (length === 0) return ''
  return `: ${description.length <= length ? description : `${description.slice(0, Math.max(1, length - 1)).toWellFormed()}…`}`
}

const cutLine = (count: number, length: number): string =>
  length === 0
    ? 'Their descriptions are left out, because there are too many.'
    : `${count} descriptions are shortened.`
const missingLine = (count: number): string => `${count} more skills are not listed; a person can name them.`
