/**
 * Makes arguments for a tool from a text: valid against the tool's schema, with values
 * taken from the text where it has fitting ones. Required fields are always filled,
 * optional ones only when the text mentions them. Pure and total.
 */

import { nameWords, saysWord } from '../understand/match-tool.ts'
import { numbersIn, quotesIn } from '../understand/mentions.ts'
import { chineseFor } from '../understand/synonyms.ts'
import { fitNumber, fitString } from './fit-value.ts'
import {
  allowsNull,
  isSchema,
  listOf,
  numberOf,
  propertiesOf,
  requiredOf,
  resolveSchema,
  type Schema,
  typeOf,
} from './json-schema.ts'
import { stringFor } from './string-value.ts'

const DEEPEST = 12
/** From this depth on, lists that may be empty are, and values that may be null are: a schema can contain itself. */
const ENOUGH = 6
/** Values made for one call: a small schema can ask for a huge answer. */
const MOST_VALUES = 2000
const MOST_ITEMS = 100

interface FillContext {
  readonly root: Schema
  readonly text: string
  /** Position in a list, so that neighbours differ. */
  readonly nth: number
  readonly depth: number
  /** Shared by the whole filling and used up by it. */
  readonly budget: { left: number }
}

/** Arguments for a tool with this input schema. */
export function fillSchema(schema: Schema, text: string): unknown {
  return fill(schema, '', { root: schema, text, nth: 0, depth: 0, budget: { left: MOST_VALUES } })
}

function fill(value: unknown, name: string, filling: FillContext): unknown {
  filling.budget.left -= 1
  if (filling.budget.left < 0) return null
  if (filling.depth >= ENOUGH && allowsNull(value, filling.root)) return null
  const schema = resolveSchema(value, filling.root)
  if (schema['const'] !== undefined) return schema['const']
  const choices = listOf(schema['enum'])
  if (choices.length > 0) return choose(choices, schema['default'], filling)
  switch (typeOf(schema)) {
    case 'object':
      return fillObject(schema, filling)
    case 'array':
      return fillArray(schema, name, filling)
    case 'number':
    case 'integer':
      return fillNumber(schema, name, filling)
    case 'boolean':
      return fillBoolean(schema, filling)
    case 'null':
      return null
    default:
      return fillString(schema, name, filling)
  }
}

function fillObject(schema: Schema, filling: FillContext): Readonly<Record<string, unknown>> {
  const properties = propertiesOf(schema)
  const required = requiredOf(schema)
  const names = Object.keys(properties)
  // Many hand-written schemas forget `required`: their first field is what the tool is about.
  const wanted = required.length > 0 || filling.depth > 0 ? required : names.slice(0, 1)
  const made: [string, unknown][] = []
  for (const name of new Set([...names, ...required])) {
    const property = properties[name] ?? {}
    const isWanted = wanted.includes(name)
    if (!isWanted && !isMentioned(property, name, filling)) continue
    if (filling.depth >= DEEPEST && !required.includes(name)) continue
    if (filling.depth >= DEEPEST * 2) continue
    made.push([name, fill(property, name, { ...filling, depth: filling.depth + 1 })])
  }
  return Object.fromEntries(made)
}

/** True if the text mentions an optional scalar: an enum value, or a number beside its name. */
function isMentioned(property: unknown, name: string, filling: FillContext): boolean {
  const schema = resolveSchema(property, filling.root)
  const choices = listOf(schema['enum'])
  if (choices.length > 0)
    return choices.some(choice => typeof choice === 'string' && saysWord(filling.text, choice))
  const type = typeOf(schema)
  if (type === 'number' || type === 'integer') return numberBy(name, filling.text) !== undefined
  if (type === 'boolean') return isNamed(name, filling.text)
  return type === 'string' && isNamed(name, filling.text) && stringFor(name, filling.text) !== undefined
}

const spokenForms = (name: string): readonly string[] =>
  nameWords(name).flatMap(word => [word, ...chineseFor(word)])
const isNamed = (name: string, text: string): boolean => spokenForms(name).some(word => saysWord(text, word))

function choose(choices: readonly unknown[], fallback: unknown, filling: FillContext): unknown {
  const said = choices.filter(choice => typeof choice === 'string' && saysWord(filling.text, choice))
  const numbers = numbersIn(filling.text).map(mention => mention.value)
  const counted = choices.filter(choice => typeof choice === 'number' && numbers.includes(choice))
  const ordered = [
    ...new Set([...said, ...counted, ...(choices.includes(fallback) ? [fallback] : []), ...choices]),
  ]
  return ordered[filling.nth % ordered.length]
}

function fillNumber(schema: Schema, name: string, filling: FillContext): number {
  const numbers = numbersIn(filling.text)
  const near = filling.nth === 0 ? numberBy(name, filling.text) : undefined
  const wanted = near ?? numbers[filling.nth]?.value ?? numberOf(schema['default']) ?? 1 + filling.nth
  return fitNumber(wanted, schema)
}

/** The number after the field's name, or shortly before it. */
function numberBy(name: string, text: string): number | undefined {
  const numbers = numbersIn(text)
  const low = text.toLowerCase()
  for (const word of spokenForms(name)) {
    const at = low.indexOf(word.toLowerCase())
    if (at < 0) continue
    const after = numbers.find(mention => mention.at > at && mention.at - at < word.length + 24)
    const before = numbers.findLast(mention => mention.at < at && at - mention.at < 12)
    const found = after ?? before
    if (found) return found.value
  }
  return undefined
}

const NO =
  /\b(?:off|disable[ds]?|false|no|not|don't|without|stop|hide)\b|关闭|關閉|关掉|关上|禁用|停用|隐藏|不要|别/iu

function fillBoolean(schema: Schema, filling: FillContext): boolean {
  if (filling.nth > 0) return filling.nth % 2 === 0
  if (NO.test(filling.text)) return false
  return typeof schema['default'] === 'boolean' ? schema['default'] : true
}

function fillString(schema: Schema, name: string, filling: FillContext): string {
  const quoted = quotesIn(filling.text)
  const wanted =
    filling.nth > 0
      ? (quoted[filling.nth] ?? `${stringFor(name, filling.text) ?? name} ${filling.nth + 1}`)
      : stringFor(name, filling.text)
  return fitString(wanted, schema, { name, text: filling.text, nth: filling.nth })
}

function fillArray(schema: Schema, name: string, filling: FillContext): readonly unknown[] {
  const tuple = listOf(schema['prefixItems'])
  const items = isSchema(schema['items']) ? schema['items'] : undefined
  const least = numberOf(schema['minItems']) ?? 0
  const most = numberOf(schema['maxItems']) ?? Number.POSITIVE_INFINITY
  const mentioned = items ? mentionedItems(resolveSchema(items, filling.root), name, filling) : []
  const usual = filling.depth < ENOUGH ? Math.max(tuple.length, mentioned.length, most > 0 ? 1 : 0) : 0
  const count = Math.min(most, MOST_ITEMS, Math.max(least, usual))
  const made: unknown[] = []
  const seen = new Set<string>()
  const isUnique = schema['uniqueItems'] === true
  for (let nth = 0; made.length < count && nth < count + 64; nth++) {
    const item = tuple[made.length] ?? items ?? {}
    const value =
      mentioned[nth] ?? fill(item, name, { ...filling, nth: nth + filling.nth, depth: filling.depth + 1 })
    const key = JSON.stringify(value)
    if (isUnique && seen.has(key)) continue
    seen.add(key)
    made.push(value)
  }
  return made
}

/** Items that the text lists: quoted strings, numbers, said enum values, or words around commas. */
function mentionedItems(item: Schema, name: string, filling: FillContext): readonly unknown[] {
  if (item['const'] !== undefined) return []
  const choices = listOf(item['enum'])
  if (choices.length > 0)
    return choices.filter(choice => typeof choice === 'string' && saysWord(filling.text, choice))
  const type = typeOf(item)
  if (type === 'number' || type === 'integer')
    return [...new Set(numbersIn(filling.text).map(mention => fitNumber(mention.value, item)))]
  if (type !== 'string') return []
  const quoted = quotesIn(filling.text)
  const listed = quoted.length > 0 ? quoted : commaList(filling.text)
  return [...new Set(listed.map((value, nth) => fitString(value, item, { name, text: filling.text, nth })))]
}

function commaList(text: string): readonly string[] {
  const tail = /[:：]\s*(.+)$/u.exec(text)?.[1]
  if (tail === undefined) return []
  return tail.split(/\s*(?:,|，|、|;|；|\band\b|和)\s*/u).filter(part => part !== '')
}
