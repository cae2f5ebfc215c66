/** The parts of a session's prompt that do not depend on its workspace: conduct, and policy for the tools that are offered. Pure. */
import { type ModelFamily, PROMPT_RULES, type PromptRule } from './rules.ts'

export interface PromptPart {
  readonly key: string
  readonly text: string
  readonly source: string
  /** Ids of the rules that it is made of. */
  readonly rules?: readonly string[]
}

export interface PromptInput {
  /** The name that the agent has; from the configuration. */
  readonly name: string
  readonly family: ModelFamily
  /** Names of the tools that are offered. */
  readonly tools: readonly string[]
}

/** Models with a smaller window than this get the short prompt. */
const SMALL_WINDOW = 64_000

export function familyOf(model: { readonly id: string; readonly context?: number }): ModelFamily {
  const id = model.id.toLowerCase()
  if (id.includes('claude')) return 'claude'
  if (/(?:^|[/:])(?:gpt|o\d|codex|chatgpt)/.test(id)) return 'gpt'
  return model.context !== undefined && model.context <= SMALL_WINDOW ? 'small' : 'other'
}

export function buildPrompt({ name, family, tools }: PromptInput): readonly PromptPart[] {
  const rules = PROMPT_RULES.filter(rule => applies(rule, family, tools))
  const opening = `You are ${name}, an agent that works in a workspace through the tools of this server.`
  return [
    toPart('core', [{ id: 'id', text: opening }, ...rules.filter(rule => rule.part === 'core')]),
    ...(tools.length === 0
      ? []
      : [
          toPart(
            'policy',
            rules.filter(rule => rule.part === 'policy'),
          ),
        ]),
  ]
}

function applies({ families, tools }: PromptRule, family: ModelFamily, offered: readonly string[]): boolean {
  if (families && !families.includes(family)) return false
  return !tools || tools.some(name => offered.some(one => matches(one, name)))
}

const matches = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

const toPart = (key: string, rules: readonly Pick<PromptRule, 'id' | 'text'>[]): PromptPart => ({
  key,
  source: 'toolwire',
  text: rules.map(rule => rule.text).join('\n\n'),
  rules: rules.map(rule => rule.id),
})
