/** The string in a text that suits a field of a given name: a city, a path, a query, the value behind "to" … */
import { PLACE_BEFORE, WEATHER_NOISE, WEATHER_PLACE } from '../understand/intent-patterns.ts'
import { dateIn, emailIn, pathsIn, quotesIn, unquote, urlIn } from '../understand/mentions.ts'
import { chineseFor } from '../understand/synonyms.ts'

const ROLES: readonly (readonly [pattern: RegExp, find: (text: string) => string | undefined])[] = [
  [/city|location|place|town|region|country/i, placeIn],
  [/url|uri|link|href/i, urlIn],
  [/e-?mail|recipient/i, emailIn],
  [/path|file|dir|folder/i, text => pathsIn(text)[0]],
  [
    /^date|date$|^day/i,
    text => dateIn(text) ?? /\b(?:today|tomorrow|yesterday)\b|今天|明天|后天|昨天/iu.exec(text)?.[0],
  ],
  [/command|cmd|script/i, text => quotesIn(text)[0] ?? /\b(?:run|execute)\s+(.+)$/i.exec(text)?.[1]],
  [/query|^q$|search|keyword|question|term|prompt/i, text => quotesIn(text)[0] ?? queryIn(text)],
]

/** The value for a field, or undefined when the text has nothing of the kind. */
export function stringFor(name: string, text: string): string | undefined {
  const role = ROLES.find(([pattern]) => pattern.test(name))
  const found =
    role?.[1](text) ?? quotesIn(text)[0] ?? behindName(name, text) ?? withoutName(name, behindWord(text))
  return found === undefined || found.trim() === '' ? undefined : found.trim()
}

function placeIn(text: string): string | undefined {
  const named = WEATHER_PLACE.exec(text)?.groups?.['place'] ?? PLACE_BEFORE.exec(text)?.groups?.['place']
  if (named !== undefined) return named.trim()
  const rest = text.replace(WEATHER_NOISE, '').trim()
  return /^\p{Script=Han}{2,8}$/u.test(rest) ? rest : /\b[A-Z][a-z]+(?:\s[A-Z][a-z]+)*\b/.exec(rest)?.[0]
}

const POLITE =
  /^(?:(?:please|can you|could you|i want to|help me|search|look up|find|google|query|ask)\s+(?:the\s+web\s+)?(?:for\s+|about\s+)?)+|^(?:(?:请|請|帮我|幫我|搜索|搜尋|搜|查询|查詢|查找|查|一下|下)\s*)+/iu

const queryIn = (text: string): string | undefined =>
  text
    .replace(POLITE, '')
    .replace(/[?？。!！]+$/u, '')
    .trim() || undefined

/** "to X", "= X", «为 X», «叫 X»: the last such value. */
function behindWord(text: string): string | undefined {
  const match =
    /(?:\b(?:to|as|named|called|saying|with|into)\s+|[=:：]\s*|(?:设为|设成|设置为|设置成|调到|调成|调整为|改成|改为|切换到|换成|滚动到|滚到|跳到|叫做?|名为|成|为|到)\s*)(?:the\s+)?(?<value>[^\s，。,](?:[^，。,]*[^\s，。,?？!！.])?)\s*[?？!！.。]*$/iu.exec(
      text,
    )
  return match?.groups?.['value'] === undefined ? undefined : unquote(match.groups['value'])
}

/** "the pricing section" names the field behind the value. */
function withoutName(name: string, value: string | undefined): string | undefined {
  const tail = ` ${name.toLowerCase()}`
  return value?.toLowerCase().endsWith(tail) ? value.slice(0, -tail.length) : value
}

/** "section pricing", «模型 gpt-4»: the word right behind the field's name. */
function behindName(name: string, text: string): string | undefined {
  const word = name.split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/).at(-1) ?? name
  const forms = [word, ...chineseFor(word.toLowerCase())]
    .filter(form => form !== '')
    .map(form => form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (forms.length === 0) return undefined
  const match = new RegExp(
    `(?:${forms.join('|')})\\s*(?:is|to|=|:|：|为|為|是|到|成|改成|改为|设为|换成|切换到|调到|叫)?\\s+(?<value>[\\w./@-]+)`,
    'iu',
  ).exec(text)
  return match?.groups?.['value']
}
