/** Tools that a request brings: its own client runs them. Both common spellings are read; schemas are kept as received. */
import type { ToolSpec } from '@toolwire/core'
import { z } from 'zod'

const MAX_TOOLS = 128
const MAX_SCHEMA = 65_536

const MAX_QUOTED = 200

const quote = (name: unknown): string => JSON.stringify(String(name).slice(0, MAX_QUOTED))

export const TOOL_NAME = /^[A-Za-z0-9_.:-]{1,128}$/

export const toNameProblem = (name: unknown): string =>
  `${quote(name)} is not a tool name: it has 1 to 128 letters, digits, _ . : or -`

const name = z.string().regex(TOOL_NAME, { error: ({ input }) => toNameProblem(input) })
const schema = z.record(z.string(), z.unknown()).refine(value => JSON.stringify(value).length <= MAX_SCHEMA, {
  message: `a schema has at most ${MAX_SCHEMA} characters`,
})
const fields = {
  name,
  description: z.string().max(16_384).optional(),
  input_schema: schema.optional(),
  parameters: schema.optional(),
  strict: z.boolean().nullish(),
}

const flat = z.object(fields)
const wrapped = z.object({ type: z.literal('function'), function: flat }).transform(tool => tool.function)

const tool = z.union([wrapped, flat]).transform(
  (value): ToolSpec => ({
    name: value.name,
    ...(value.description === undefined ? {} : { description: value.description }),
    input_schema: value.input_schema ?? value.parameters ?? { type: 'object', properties: {} },
    ...(typeof value.strict === 'boolean' ? { strict: value.strict } : {}),
  }),
)

/** At most 128 tools with distinct names. */
export const ClientTools = z
  .array(tool)
  .max(MAX_TOOLS)
  .superRefine((tools, context) => {
    const names = new Set<string>()
    const twice = tools.find(t => names.size === names.add(t.name).size)
    if (twice) context.addIssue({ code: 'custom', message: `two tools have the name ${quote(twice.name)}` })
  })
