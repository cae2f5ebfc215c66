/** Tools of a Responses request as functions that every model knows, and the way back to the form of the request. Pure. */
import { AppError, type ToolSpec } from '@toolwire/core'
import type { Warnings } from '../gateway/warning.ts'
import { TOOL_NAME, toNameProblem } from '../shared/client-tools.ts'
import { CLIENT_TOOLS } from './client-tools.ts'
import type { LooseItem } from './request-schema.ts'

export type CallType = 'function' | 'custom' | 'tool_search' | 'local_shell' | 'shell' | 'apply_patch'

/** The form in which a client gets the calls of a tool. */
export interface ToolForm {
  readonly type: CallType
  readonly name: string
  readonly namespace?: string
}

export interface ClientToolset {
  readonly specs: readonly ToolSpec[]
  /** By the name that the model knows; plain functions of the same name have no entry. */
  readonly forms: Readonly<Record<string, ToolForm>>
  /** The first web search among the tools. */
  readonly search: DeclaredSearch | undefined
}

interface DeclaredSearch {
  readonly tool: LooseItem
  /** Its place in the request. */
  readonly at: string
}

/** Finds the name that the model knows a tool by. */
export type ToolNames = (namespace: string | undefined, name: string) => string

const MAX_SCHEMA = 200_000
const MAX_DESCRIPTION = 200_000
const MAX_TOOLS = 512

/** The usual name of a tool in a namespace. */
const flatName = (namespace: string | undefined, name: string): string =>
  namespace === undefined ? name : `${namespace}__${name}`

/** Tools of other requests are known by their usual names. */
export const toNames =
  ({ forms }: Pick<ClientToolset, 'forms'>): ToolNames =>
  (namespace, name) => {
    const usual = flatName(namespace, name)
    const isIt = (form: ToolForm | undefined): boolean => form?.name === name && form.namespace === namespace
    if (namespace === undefined || isIt(Object.hasOwn(forms, usual) ? forms[usual] : undefined)) return usual
    return Object.entries(forms).find(([, form]) => isIt(form))?.[0] ?? usual
  }

/** Throws `bad_request` for a tool of the wrong form. Tools that the server cannot serve are left out with a warning. */
export function readTools(tools: readonly LooseItem[], warnings: Warnings): ClientToolset {
  const specs = new Map<string, ToolSpec>()
  const forms: Record<string, ToolForm> = Object.create(null) as Record<string, ToolForm>
  let search: DeclaredSearch | undefined
  const isSame = (name: string, form: ToolForm): boolean => {
    const known = forms[name] ?? { type: 'function', name }
    return known.name === form.name && known.namespace === form.namespace
  }
  const add = (spec: ToolSpec, form: ToolForm): void => {
    const name = freeName(spec.name, taken => specs.has(taken) && !isSame(taken, form))
    if (specs.has(name)) return
    if (specs.size >= MAX_TOOLS) throw new AppError('bad_request', `tools: at most ${MAX_TOOLS} tools`)
    specs.set(name, { ...spec, name })
    if (form.type !== 'function' || form.name !== name) forms[name] = form
  }
  const onSearch = (tool: LooseItem, at: string): void => {
    search ??= { tool, at }
  }
  for (const [index, tool] of tools.entries())
    readTool(tool, { at: `tools.${index}`, add, onSearch, warnings })
  return { specs: [...specs.values()], forms: { ...forms }, search }
}

/** Two tools whose usual names are equal get different ones. */
function freeName(usual: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(usual)) return usual
  for (let n = 2; ; n++) if (!isTaken(`${usual}_${n}`)) return `${usual}_${n}`
}

interface ToolReader {
  readonly at: string
  readonly namespace?: string
  readonly add: (spec: ToolSpec, form: ToolForm) => void
  readonly onSearch: (tool: LooseItem, at: string) => void
  readonly warnings: Warnings
}

function readTool(tool: LooseItem, reader: ToolReader): void {
  const type = String(tool['type'])
  const own = CLIENT_TOOLS.get(type)
  if (type === 'function') readFunction(tool, reader)
  else if (type === 'custom') readCustom(tool, reader)
  else if (type === 'namespace') readNamespace(tool, reader)
  else if (type === 'tool_search' && tool['execution'] === 'client')
    readFunction({ name: 'tool_search', ...tool }, reader, 'tool_search')
  else if (own) readFunction(own.tool, reader, own.type)
  else if (isSearchType(type)) reader.onSearch(tool, reader.at)
  else if (type === 'mcp')
    throw new AppError(
      'bad_request',
      `${reader.at}: this server does not connect to MCP servers of a request`,
    )
  else ignore(tool, reader.at, reader.warnings)
}

export const isSearchType = (type: string): boolean =>
  /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/.test(type)

const ignore = (tool: LooseItem, at: string, warnings: Warnings): void =>
  warnings.add(
    'tool_ignored',
    `${at}: this server does not offer tools of the type ${JSON.stringify(tool['type'])}; it is left out.`,
  )

function readNamespace(tool: LooseItem, reader: ToolReader): void {
  const namespace = nameOf(tool, reader.at)
  const inner = Array.isArray(tool['tools']) ? tool['tools'] : []
  for (const [index, one] of inner.entries())
    if (isItem(one)) readTool(one, { ...reader, at: `${reader.at}.tools.${index}`, namespace })
}

function readFunction(
  tool: LooseItem,
  { at, namespace, add }: ToolReader,
  type: CallType = 'function',
): void {
  const name = nameOf(tool, at)
  const schema = tool['parameters'] ?? { type: 'object', properties: {} }
  if (!isItem(schema)) throw new AppError('bad_request', `${at}.parameters: expected an object`)
  if (JSON.stringify(schema).length > MAX_SCHEMA)
    throw new AppError('bad_request', `${at}.parameters: a schema has at most ${MAX_SCHEMA} characters`)
  add(
    {
      name: flatName(namespace, name),
      ...descriptionOf(tool, at),
      input_schema: schema,
      ...(tool['strict'] === true ? { strict: true } : {}),
    },
    { type, name, ...(namespace === undefined ? {} : { namespace }) },
  )
}

/** Models that know functions alone get the grammar in the description of the one argument. */
function readCustom(tool: LooseItem, { at, namespace, add }: ToolReader): void {
  const name = nameOf(tool, at)
  const { format } = tool
  const grammar =
    isItem(format) && typeof format['definition'] === 'string' ? format['definition'] : undefined
  const description =
    grammar === undefined
      ? 'The input as plain text.'
      : `The input as plain text of this grammar:\n${grammar}`
  add(
    {
      name: flatName(namespace, name),
      ...descriptionOf(tool, at),
      input_schema: {
        type: 'object',
        properties: { input: { type: 'string', description } },
        required: ['input'],
        additionalProperties: false,
      },
      freeform: format === undefined ? {} : { format },
    },
    { type: 'custom', name, ...(namespace === undefined ? {} : { namespace }) },
  )
}

function nameOf(tool: LooseItem, at: string): string {
  const { name } = tool
  if (typeof name === 'string' && TOOL_NAME.test(name)) return name
  throw new AppError('bad_request', `${at}.name: ${toNameProblem(name)}`)
}

function descriptionOf(tool: LooseItem, at: string): Pick<ToolSpec, 'description'> {
  const { description } = tool
  if (typeof description !== 'string' || description === '') return {}
  if (description.length > MAX_DESCRIPTION)
    throw new AppError('bad_request', `${at}.description: at most ${MAX_DESCRIPTION} characters`)
  return { description }
}

export const isItem = (value: unknown): value is LooseItem =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
