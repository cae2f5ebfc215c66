/** Tools of a Responses request as functions that every model knows, and the way back to the form of the request. Pure. */
import { AppError, type ToolSpec } from '@toolwire/core'
import type { Warnings } from '../gateway/warning.ts'
import type { LooseItem } from './request-schema.ts'

/** The form in which a client gets the calls of a tool. */
export interface ToolForm {
  readonly type: 'function' | 'custom' | 'tool_search'
  readonly name: string
  readonly namespace?: string
}

export interface ClientToolset {
  readonly specs: readonly ToolSpec[]
  /** By the name that the model knows; plain functions of the same name have no entry. */
  readonly forms: Readonly<Record<string, ToolForm>>
}

const NAME = /^[A-Za-z0-9_.:-]{1,128}$/
const MAX_SCHEMA = 200_000
const MAX_DESCRIPTION = 200_000
const MAX_TOOLS = 512

/** A tool of a namespace is known to the model under one name. */
export const flatName = (namespace: string | undefined, name: string): string =>
  namespace === undefined ? name : `${namespace}__${name}`

/** Throws `bad_request` for a tool of the wrong form. Tools that the server cannot serve are left out with a warning. */
export function readTools(tools: readonly LooseItem[], warnings: Warnings): ClientToolset {
  const specs: ToolSpec[] = []
  const forms: Record<string, ToolForm> = {}
  const add = (spec: ToolSpec, form: ToolForm): void => {
    if (specs.some(known => known.name === spec.name)) return
    if (specs.length >= MAX_TOOLS) throw new AppError('bad_request', `tools: at most ${MAX_TOOLS} tools`)
    specs.push(spec)
    if (form.type !== 'function' || form.name !== spec.name) forms[spec.name] = form
  }
  for (const [index, tool] of tools.entries()) readTool(tool, { at: `tools.${index}`, add, warnings })
  return { specs, forms }
}

interface ToolReader {
  readonly at: string
  readonly namespace?: string
  readonly add: (spec: ToolSpec, form: ToolForm) => void
  readonly warnings: Warnings
}

function readTool(tool: LooseItem, reader: ToolReader): void {
  const { type } = tool
  if (type === 'function') readFunction(tool, reader)
  else if (type === 'custom') readCustom(tool, reader)
  else if (type === 'namespace') readNamespace(tool, reader)
  else if (type === 'tool_search' && tool['execution'] === 'client')
    readFunction({ name: 'tool_search', ...tool }, reader, 'tool_search')
  else
    reader.warnings.add(
      'tool_ignored',
      `${reader.at}: this server does not offer tools of the type ${JSON.stringify(type)}; it is left out.`,
    )
}

function readNamespace(tool: LooseItem, reader: ToolReader): void {
  const namespace = nameOf(tool, reader.at)
  const inner = Array.isArray(tool['tools']) ? tool['tools'] : []
  for (const [index, one] of inner.entries())
    if (isItem(one)) readTool(one, { ...reader, at: `${reader.at}.tools.${index}`, namespace })
}

function readFunction(
  tool: LooseItem,
  { at, namespace, add }: ToolReader,
  type: ToolForm['type'] = 'function',
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
  if (typeof name === 'string' && NAME.test(name)) return name
  throw new AppError('bad_request', `${at}.name: a tool name has 1 to 128 letters, digits, _ . : or -`)
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
