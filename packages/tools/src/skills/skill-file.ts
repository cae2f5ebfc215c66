/** A skill as its SKILL.md describes it. Unknown fields are ignored, and odd names are warnings; one without a description is no skill. Pure. */
import { createHash } from 'node:crypto'
import { defuseText } from '@toolwire/core'
import { readFrontMatter } from './frontmatter.ts'
import { readAllowedTools } from './skill-rules.ts'

export interface SkillFile {
  readonly name: string
  /** One line. */
  readonly description: string
  readonly sha256: string
  /** Rules that it wishes for, as written. */
  readonly allowed_tools: readonly string[]
  /** False: only people load it. */
  readonly for_models: boolean
  /** False: only models load it. */
  readonly for_users: boolean
  readonly warnings: readonly string[]
}

const MAX_DESCRIPTION = 1_024
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/
/** Names that other products accept; they are safe in a list and in a path. */
const LENIENT_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

/** `folder` is the name of the directory that holds the file. */
export function readSkillFile(text: string, folder: string): SkillFile | { readonly problem: string } {
  const { fields, problem } = readFrontMatter(text)
  if (problem !== undefined) return { problem }
  const description = oneLine(fields['description'])
  if (description === '') return { problem: 'it has no description' }
  const named = oneLine(fields['name'])
  const name = [named, folder].find(one => LENIENT_NAME.test(one))
  if (name === undefined) return { problem: 'it has no usable name' }
  return {
    name,
    description: cut(description),
    sha256: createHash('sha256').update(text).digest('hex'),
    allowed_tools: readAllowedTools(fields['allowed-tools']),
    for_models: oneLine(fields['disable-model-invocation']) !== 'true',
    for_users: oneLine(fields['user-invocable']) !== 'false',
    warnings: warningsOf({ named, name, folder, description }),
  }
}

/** The instructions of the skill. */
export const skillBody = (text: string): string => defuseText(readFrontMatter(text).body).trim()

interface NamedSkill {
  readonly named: string
  readonly name: string
  readonly folder: string
  readonly description: string
}

function warningsOf({ named, name, folder, description }: NamedSkill): readonly string[] {
  const { length } = description
  return [
    ...(named === '' ? ['it has no name; that of its folder is used'] : []),
    ...(named !== '' && named !== name
      ? [`its name ${JSON.stringify(named.slice(0, 80))} cannot be used`]
      : []),
    ...(NAME.test(name) ? [] : ['its name is not made of a-z, 0-9 and -']),
    ...(name === folder
      ? []
      : [`its name is not that of its folder, ${JSON.stringify(folder.slice(0, 80))}`]),
    ...(length > MAX_DESCRIPTION
      ? [`its description was cut after ${MAX_DESCRIPTION} of ${length} characters`]
      : []),
  ]
}

const cut = (text: string): string =>
  text.length > MAX_DESCRIPTION ? text.slice(0, MAX_DESCRIPTION).toWellFormed() : text

const oneLine = (value: unknown): string =>
  typeof value === 'string'
    ? defuseText(value)
        .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
        .trim()
    : ''
