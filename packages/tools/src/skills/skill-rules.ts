/** `allowed-tools` of a skill: permission rules that it wishes for. Pure. */
import { parseRule } from '../permissions/rules.ts'

const MAX_RULES = 32
const MAX_RULE = 300

/** A list, or a text with blanks or commas between the rules. What is no rule is left out. */
export function readAllowedTools(value: unknown): readonly string[] {
  const texts = Array.isArray(value) ? value.filter(one => typeof one === 'string') : [value]
  const rules = texts.flatMap(text => (typeof text === 'string' ? splitRules(text) : []))
  return [...new Set(rules)].filter(isRule).slice(0, MAX_RULES)
}

/** Blanks and commas inside of parentheses belong to the rule. */
function splitRules(text: string): readonly string[] {
  const rules: string[] = []
  let word = ''
  let depth = 0
  for (const letter of text.slice(0, MAX_RULES * MAX_RULE)) {
    if (letter === '(') depth++
    if (letter === ')') depth = Math.max(0, depth - 1)
    if (depth === 0 && /[\s,]/.test(letter)) {
      rules.push(word)
      word = ''
    } else word += letter
  }
  return [...rules, word].filter(one => one !== '')
}

/** A skill has no say about other kinds of agents. */
function isRule(text: string): boolean {
  if (text.length > MAX_RULE || text.startsWith('@') || /[\p{Cc}\p{Cf}]/u.test(text)) return false
  try {
    parseRule(text, 'allow', 'session')
    return true
  } catch {
    return false
  }
}
