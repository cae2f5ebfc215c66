/** Skill: loads the instructions of a skill. What they wish to run without a question is asked about once. */
import {
  type LoadedSkill,
  loadedSkills,
  type SessionSkill,
  skillNote,
  type Tool,
  type ToolContext,
  type ToolSetting,
  type ToolStep,
} from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { RULE_NOTE, toNoteValue } from '../permissions/session-rule.ts'
import { loadSkill, type SkillText } from '../skills/load-skill.ts'

const MAX_ARGUMENTS = 10_000
/** Note about the rules that a person allowed for a skill; bound to its text. */
const RULES_NOTE = 'skill_rules:'
const ALLOW = 'Allow for this session'

const input = z.strictObject({
  name: z.string().min(1).max(64).describe('Name of the skill'),
  arguments: z.string().max(MAX_ARGUMENTS).optional().describe('Details for it, as the person gave them'),
})
type SkillInput = z.output<typeof input>

export function createSkillTool(): Tool<SkillInput> {
  const tool = defineTool({
    name: 'Skill',
    type: 'builtin',
    description:
      'Loads the instructions of a skill from the list of skills: its text, its folder and the names of its files. Load one before the first step of a task that it is for, and read it whole. Its text guides you, below the word of the person. Its files are read with Read and run with Bash. Not for a skill whose text is above already.',
    input,
    limits: [
      { name: 'text', value: '100,000 characters' },
      { name: 'file names', value: '50' },
    ],
    isEnabled: ({ skills }) => skills === undefined || skills.some(({ listed }) => listed),
    isReadOnly: () => true,
    access: async () => [],
    eager: false,
    async validate({ name }, { skills = [] }) {
      if (skills.some(skill => skill.name === name)) return undefined
      const names = skills.filter(({ listed }) => listed).map(skill => skill.name)
      return `There is no skill ${JSON.stringify(name)}. Known skills: ${names.slice(0, 50).join(', ')}.`
    },
    async *call(args, context) {
      const skill = context.skills?.find(one => one.name === args.name)
      yield skill
        ? await load(skill, args, context)
        : notLoaded(args.name, 'it is not among the skills of this session')
    },
    view: ({ name, arguments: args }) => ({
      title: args ? `${name} ${args.slice(0, 100)}` : name,
      kind: 'skill',
    }),
  })
  return Object.assign(tool, {
    inputSchemaFor: ({ skills }: ToolSetting) => schemaFor(tool, skills),
  })
}

const schemas = new WeakMap<readonly SessionSkill[], Tool['input_schema']>()

/** With the names of the listed skills. */
function schemaFor(
  tool: Pick<Tool, 'input_schema'>,
  skills: readonly SessionSkill[] | undefined,
): Tool['input_schema'] {
  if (!skills) return tool.input_schema
  const known = schemas.get(skills)
  if (known) return known
  const { properties } = tool.input_schema as { readonly properties: Readonly<Record<string, object>> }
  const names = skills.filter(({ listed }) => listed).map(({ name }) => name)
  const made = {
    ...tool.input_schema,
    properties: { ...properties, name: { ...properties['name'], enum: names } },
  }
  schemas.set(skills, made)
  return made
}

const notLoaded = (name: string, problem: string, code = 'skill_gone'): ToolStep => ({
  type: 'failure',
  code,
  message: `The skill ${name} was not loaded: ${problem}.`,
})

async function load(skill: SessionSkill, args: SkillInput, context: ToolContext): Promise<ToolStep> {
  const { name, arguments: details = '' } = args
  const loaded = await loadSkill(skill, details)
  if ('problem' in loaded) return notLoaded(name, loaded.problem, loaded.code)
  const { sha256 } = loaded
  const before = loadedSkills({ [skillNote(name)]: context.notes.get(skillNote(name)) })[0]
  if (before?.sha256 === sha256 && isShown(before, context)) {
    const suffix = details === '' ? '' : ` Arguments now: ${details}`
    return {
      type: 'result',
      output_text: `The skill ${name} is loaded already: its text is above.${suffix}`,
      structured: { name, sha256, loaded: true },
    }
  }
  const rules = await askForRules(name, loaded, context)
  if (rules.type === 'ask') return rules.step
  const note: LoadedSkill = { sha256, dir: skill.dir, call_id: context.call_id }
  context.notes.set(skillNote(name), note)
  return {
    type: 'result',
    output_text: loaded.text + rules.text,
    bounded: true,
    structured: { name, sha256, dir: skill.dir },
  }
}

/** One that a person loaded may be in another branch of the history: its text is given again. */
const isShown = ({ call_id }: LoadedSkill, { isInHistory }: ToolContext): boolean =>
  call_id !== undefined && isInHistory(call_id)

interface SkillRules {
  readonly sha256: string
  /** Rules that were added to the session. */
  readonly added?: readonly string[]
}

type RulesAnswer =
  | { readonly type: 'ask'; readonly step: ToolStep }
  | { readonly type: 'go'; readonly text: string }

/** Modes in which no question about a call is asked. */
const UNASKED: ReadonlySet<string> = new Set(['dontAsk', 'bypassPermissions'])

/** Asks a person about the rules of this very text, once per session. Rules of an earlier text end. */
async function askForRules(
  name: string,
  { sha256, allowed_tools: rules }: SkillText,
  context: ToolContext,
): Promise<RulesAnswer> {
  const { notes, permission_mode = '' } = context
  const note = RULES_NOTE + name
  const before = notes.get(note) as SkillRules | undefined
  const isSame = before?.sha256 === sha256
  if (!isSame) for (const rule of before?.added ?? []) await notes.save(RULE_NOTE + rule, null)
  const isSettled = rules.length === 0 || UNASKED.has(permission_mode)
  if (isSettled || (isSame && before.added)) return { type: 'go', text: '' }
  if (isSame && context.answered) return addRules(name, { sha256, rules }, context)
  await notes.save(note, { sha256 } satisfies SkillRules)
  return { type: 'ask', step: { type: 'suspended', question: toQuestion(name, rules) } }
}

/** A rule that the session has already stays as it is, also one that denies. */
function addRules(
  name: string,
  { sha256, rules }: { readonly sha256: string; readonly rules: readonly string[] },
  { notes, answered }: ToolContext,
): RulesAnswer {
  const isAllowed = answered?.decision === 'approved' && (answered.text ?? ALLOW) === ALLOW
  const added = isAllowed ? rules.filter(rule => notes.get(RULE_NOTE + rule) === undefined) : []
  for (const rule of added) notes.set(RULE_NOTE + rule, toNoteValue('allow', undefined))
  notes.set(RULES_NOTE + name, { sha256, added } satisfies SkillRules)
  return {
    type: 'go',
    text: `\n\n[The person ${isAllowed ? 'allowed' : 'did not allow'} for this session that these run without a question: ${rules.join(', ')}]`,
  }
}

const toQuestion = (name: string, rules: readonly string[]) => ({
  message: `The skill ${name} asks that these calls run without a question in this session: ${rules.join(', ')}`,
  options: [
    { label: ALLOW, description: 'Add these rules to the session' },
    { label: 'Do not allow', description: 'Load the skill; its calls are judged as all others' },
  ],
  details: { skill: { name, rules } },
})
