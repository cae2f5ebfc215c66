/** Finds what a text asks for: cuts it into clauses, tries the patterns, then the offered tools' own words. */
import type { ToolSpec } from '@toolwire/core'
import { fillSchema } from '../input/fill-schema.ts'
import type { Intent, StagedIntent } from './intent.ts'
import {
  CLAUSE_BREAK,
  INTENT_PATTERNS,
  type IntentPattern,
  ORDERED_BREAK,
  PLACE_BEFORE,
  PLACE_JOIN,
  WEATHER_NOISE,
  WEATHER_PLACE,
} from './intent-patterns.ts'
import { isKnownTool } from './known-tools.ts'
import { matchTool, namedTool } from './match-tool.ts'
import { pathsIn, unquote } from './mentions.ts'

/** Longer texts are pasted material, not requests: only their beginning is read. */
const MOST_TEXT = 2000

/** The requests in a text, in order. Empty when nothing was understood. */
export function recognise(text: string, tools: readonly ToolSpec[]): readonly StagedIntent[] {
  const parts = shield(text.slice(0, MOST_TEXT).trim())
  const found: StagedIntent[] = []
  let stage = 0
  let clause = parts.clauses[0] ?? ''
  let intents = recogniseClause(clause, tools)
  for (let at = 1; at < parts.clauses.length; at++) {
    const next = parts.clauses[at] ?? ''
    const separator = parts.breaks[at - 1] ?? ''
    const nextIntents = recogniseClause(next, tools)
    if (intents.length > 0 && nextIntents.length > 0) {
      found.push(...intents.map(intent => ({ intent, stage })))
      if (ORDERED_BREAK.test(separator)) stage += 1
      clause = next
      intents = nextIntents
    } else {
      clause += separator + next
      intents = recogniseClause(clause, tools)
    }
  }
  return [...found, ...intents.map(intent => ({ intent, stage }))]
}

/** Cuts at clause breaks outside quotes and code. */
function shield(text: string): { readonly clauses: readonly string[]; readonly breaks: readonly string[] } {
  const kept: string[] = []
  const masked = text.replace(
    /`[^`]*`|"[^"]*"|“[^”]*”|「[^」]*」/g,
    quoted => `\uE000${kept.push(quoted) - 1}\uE001`,
  )
  const restored = masked
    .split(CLAUSE_BREAK)
    .map(part => part.replace(/\uE000(\d+)\uE001/g, (_, at: string) => kept[Number(at)] ?? ''))
  return {
    clauses: restored.filter((_, at) => at % 2 === 0),
    breaks: restored.filter((_, at) => at % 2 === 1),
  }
}

function recogniseClause(raw: string, tools: readonly ToolSpec[]): readonly Intent[] {
  const clause = raw.trim().replace(/[.。!！]+$/u, '')
  if (clause === '') return []
  const named = namedTool(clause, tools)
  if (named) return [toolIntent(named, clause)]
  const own = matchTool(
    clause,
    tools.filter(tool => !isKnownTool(tool.name)),
  )
  // A tool whose whole name was spoken knows better than a general pattern.
  if (own?.complete) return placesOr(clause, own.tool)
  for (const pattern of INTENT_PATTERNS) {
    const groups = pattern.pattern.exec(clause)
    if (groups) return toIntents(pattern, groups.groups ?? {}, clause)
  }
  return own ? [toolIntent(own.tool, clause)] : []
}

const toolIntent = (tool: ToolSpec, clause: string): Intent => ({
  type: 'tool',
  name: tool.name,
  input: fillSchema(tool.input_schema, clause),
})

/** A question about the weather of several places is several calls. */
function placesOr(clause: string, tool: ToolSpec): readonly Intent[] {
  if (!INTENT_PATTERNS.some(row => row.type === 'weather' && row.pattern.test(clause)))
    return [toolIntent(tool, clause)]
  return weatherIntents(clause)
}

type Groups = Readonly<Record<string, string | undefined>>

function toIntents(row: IntentPattern, groups: Groups, clause: string): readonly Intent[] {
  const said = (name: string): string => unquote(groups[name] ?? '')
  const path = said('path')
  const inPath = path === '' ? {} : { path }
  switch (row.type) {
    case 'list':
      return [{ type: 'list', ...inPath }]
    case 'read':
      return pathsIn(clause, path).map(file => ({ type: 'read', path: file }))
    case 'search':
      return [{ type: 'search', pattern: said('pattern'), ...inPath }]
    case 'find':
      return [{ type: 'find', pattern: globOf(groups, path) }]
    case 'run':
      return [{ type: 'run', command: said('tests') === '' ? said('command') : 'npm test' }]
    case 'write':
      return [{ type: 'write', path, content: said('content') }]
    case 'edit':
      return [{ type: 'edit', path, from: said('from'), to: said('to') }]
    case 'weather':
      return weatherIntents(clause)
    case 'web':
      return [{ type: 'web', query: said('query') }]
    case 'fetch':
      return [{ type: 'fetch', url: said('url') }]
    case 'remember':
      return [{ type: 'remember', note: said('note') }]
    case 'agent':
      return [{ type: 'agent', prompt: said('prompt') }]
    case 'time':
    case 'recall':
      return [{ type: row.type }]
  }
}

function globOf(groups: Groups, path: string): string {
  const extension = groups['extension']?.replace(/^\./, '')
  const pattern = extension ? `*.${extension}` : (groups['pattern'] ?? path)
  return pattern.includes('/') ? pattern : `**/${pattern}`
}

function weatherIntents(clause: string): readonly Intent[] {
  const english =
    WEATHER_PLACE.exec(clause)?.groups?.['place'] ?? PLACE_BEFORE.exec(clause)?.groups?.['place']
  const place = (
    english ?? clause.replace(/\bweather\b|\bforecast\b/giu, '').replace(WEATHER_NOISE, '')
  ).trim()
  const places = place.split(PLACE_JOIN).filter(name => name !== '')
  if (places.length < 2) return [{ type: 'weather', place, query: clause }]
  return places.map(name => ({ type: 'weather', place: name, query: clause.replace(place, name) }))
}
