/**
 * Finds the offered tool that a clause names, by words alone. A word of the tool's name scores 3 (common verbs 1),
 * an enum value 3, a word of the description 1 up to 2, two Chinese characters in a row from the description 1 up
 * to 3. At 3 a tool matches; the highest wins, the earlier one on a tie. Chinese words score as their English
 * synonyms too.
 */
import type { ToolSpec } from '@toolwire/core'
import { englishFor } from './synonyms.ts'

export interface ToolMatch {
  readonly tool: ToolSpec
  /** Every word of a name of at least two words was spoken. */
  readonly complete: boolean
}

const ENOUGH = 3
const COMMON = new Set(
  'get set do run make use call show tell fetch list update change create add read write open find search current new to my in of for by'.split(
    ' ',
  ),
)
const STOP = new Set(
  'a an the and or of to in on at for with by from is are was be it this that you your me my we i can could please what how do does not no yes if as any all use used user returns return given tool function value string number true false'.split(
    ' ',
  ),
)

/** The best match, or undefined when no tool reaches the threshold. */
export function matchTool(clause: string, tools: readonly ToolSpec[]): ToolMatch | undefined {
  const spoken = new Set([...wordsOf(clause), ...englishFor(clause).map(stem)])
  let best: { readonly match: ToolMatch; readonly score: number } | undefined
  for (const tool of tools) {
    const name = nameWords(tool.name)
    const score = scoreOf(tool, name, clause, spoken)
    if (score < ENOUGH || (best && best.score >= score)) continue
    best = {
      score,
      match: {
        tool,
        complete: name.length > 1 && name.every(word => spoken.has(word) || COMMON_VERBS.has(word)),
      },
    }
  }
  return best?.match
}

/** Verbs that a request rarely repeats ("get_weather" is asked for as "weather in …"). */
const COMMON_VERBS = new Set(['get', 'set', 'do', 'fetch', 'current'])

/** The tool that the clause names outright ("use X", "call X", «用 X»), whatever it does. */
export function namedTool(clause: string, tools: readonly ToolSpec[]): ToolSpec | undefined {
  const name =
    /(?:\b(?:use|call|invoke|using)\b(?:\s+the)?(?:\s+tool)?|使用|调用|調用|用)\s*[`"']?([A-Za-z][\w.-]*)/u.exec(
      clause,
    )?.[1]
  return name === undefined ? undefined : tools.find(tool => tool.name === name)
}

/** Words of a name: `mcp__maps__getRoute` → get, route. */
export function nameWords(name: string): readonly string[] {
  return (name.split('__').at(-1) ?? name)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(word => word !== '')
    .map(stem)
}

function scoreOf(
  tool: ToolSpec,
  name: readonly string[],
  clause: string,
  spoken: ReadonlySet<string>,
): number {
  const description = tool.description ?? ''
  const told = [...new Set([...wordsOf(description), ...englishFor(description).map(stem)])]
  let score = 0
  for (const word of new Set(name)) if (spoken.has(word)) score += COMMON.has(word) ? 1 : 3
  score += Math.min(
    2,
    told.filter(word => spoken.has(word) && !name.includes(word) && !COMMON.has(word)).length,
  )
  score += Math.min(3, sharedPairs(clause, description))
  return score + (enumValues(tool.input_schema).some(value => saysWord(clause, value)) ? 3 : 0)
}

const wordsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter(word => !STOP.has(word)).map(stem)

const stem = (word: string): string =>
  word.toLowerCase().replace(/(?<=[a-z]{3})(?:ies$|s$)/, ending => (ending === 'ies' ? 'y' : ''))

function sharedPairs(clause: string, description: string): number {
  const pairs = new Set<string>()
  for (const run of clause.match(/\p{Script=Han}{2,}/gu) ?? [])
    for (let at = 0; at + 2 <= run.length; at++) pairs.add(run.slice(at, at + 2))
  return [...pairs].filter(pair => description.includes(pair)).length
}

function enumValues(schema: unknown): readonly string[] {
  const properties =
    typeof schema === 'object' && schema !== null && 'properties' in schema ? schema.properties : undefined
  return Object.values(properties ?? {}).flatMap(property => {
    const values: unknown = property?.enum
    return Array.isArray(values) ? values.filter(value => typeof value === 'string' && value.length > 2) : []
  })
}

/** True when the text holds the value as a word, in English or by a Chinese synonym. */
export function saysWord(text: string, value: string): boolean {
  const low = value.toLowerCase()
  if (/^[a-z0-9]/.test(low) && !/\p{Script=Han}/u.test(low)) {
    const escaped = low.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    if (new RegExp(`(?<![a-z0-9])${escaped}(?![a-z0-9])`, 'i').test(text)) return true
  } else if (low !== '' && text.toLowerCase().includes(low)) return true
  return englishFor(text).includes(low)
}
