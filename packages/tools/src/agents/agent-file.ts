/** An agent as a Markdown file describes it. It chooses its words and fewer tools or turns; all else is the session's. Pure. */
import { createHash } from 'node:crypto'
import { defuseText } from '@toolwire/core'
import { readFrontMatter } from '../skills/frontmatter.ts'

export interface AgentFile {
  readonly name: string
  readonly sha256: string
  /** One line. */
  readonly description: string
  readonly system: string
  readonly tools?: readonly string[]
  readonly max_turns?: number
  readonly warnings: readonly string[]
}

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/
const TOOL = /^[A-Za-z0-9_-]{1,128}\*?$/
const MAX_DESCRIPTION = 1_024
const MAX_SYSTEM = 32_000
const MAX_TOOLS = 256
/** Settings of other products that a file of a project cannot make here. */
const IGNORED: readonly string[] = ['model', 'permissionMode', 'hooks', 'mcpServers', 'memory', 'background']

/** `stem` is the name of the file without its ending. A file that restricts what cannot be restricted is no agent. */
export function readAgentFile(text: string, stem: string): AgentFile | { readonly problem: string } {
  const { fields, body, problem } = readFrontMatter(text)
  if (problem !== undefined) return { problem }
  const name = oneLine(fields['name']) || stem
  if (!NAME.test(name)) return { problem: 'its name is not made of a-z, 0-9 and -' }
  const description = oneLine(fields['description']).slice(0, MAX_DESCRIPTION).toWellFormed()
  if (description === '') return { problem: 'it has no description' }
  if (fields['disallowedTools'] !== undefined)
    return { problem: 'disallowedTools is not followed here; name its tools instead' }
  const system = defuseText(body).trim()
  if (system === '') return { problem: 'it has no instructions' }
  if (system.length > MAX_SYSTEM)
    return { problem: `its instructions have more than ${MAX_SYSTEM} characters` }
  const tools = toolsOf(fields['tools'])
  if (tools && 'problem' in tools) return tools
  const turns = oneLine(fields['maxTurns'])
  if (turns !== '' && !/^[1-9]\d{0,5}$/.test(turns)) return { problem: 'maxTurns is no number of turns' }
  return {
    name,
    sha256: createHash('sha256').update(text).digest('hex'),
    description,
    system,
    ...(tools ? { tools: tools.names } : {}),
    ...(turns === '' ? {} : { max_turns: Number(turns) }),
    warnings: IGNORED.filter(field => isSet(field, fields[field])).map(
      field => `${field} is ignored: it is the session's`,
    ),
  }
}

const isSet = (field: string, value: unknown): boolean =>
  value !== undefined && !(field === 'model' && oneLine(value) === 'inherit')

/** A list, or names with commas between them. Undefined for all. */
function toolsOf(
  value: unknown,
): { readonly names: readonly string[] } | { readonly problem: string } | undefined {
  if (value === undefined) return undefined
  const items = Array.isArray(value) ? value : String(value).split(',')
  const names = items.map(oneLine).filter(name => name !== '')
  if (names.length > MAX_TOOLS) return { problem: `it names more than ${MAX_TOOLS} tools` }
  const odd = names.find(name => !TOOL.test(name))
  // `Bash(git:*)` allows less than Bash: left out, it would allow more.
  return odd === undefined ? { names } : { problem: `tools: ${JSON.stringify(odd.slice(0, 80))} is no name` }
}

const oneLine = (value: unknown): string =>
  typeof value === 'string'
    ? defuseText(value)
        .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
        .trim()
    : ''
