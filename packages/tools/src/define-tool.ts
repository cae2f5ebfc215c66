/** Makes a `Tool` from a zod schema, or from a raw JSON Schema, and a few functions. */
import type { CheckedInput, Tool, ToolSpec } from '@toolwire/core'
import { z } from 'zod'
import { createSchemaCheck } from './checks/json-schema.ts'
import { parseSafely } from './checks/parse-safely.ts'
import { describeIssues } from './checks/zod-issues.ts'

const MAX_PROBLEMS = 10

/** A tool that does not declare itself read-only changes something: it is asked about and runs alone. */
type Parts<Input> = Omit<Tool<Input>, 'check' | 'checkOutput' | 'input_schema' | 'isReadOnly'> &
  Partial<Pick<Tool<Input>, 'isReadOnly'>>

const changes = (): boolean => false

/**
 * The schema is both the model's description and the validator of arguments; unknown fields are rejected unless
 * the schema allows them. Its JSON Schema form is made when `input_schema` is first read; that throws if the
 * schema has none. With `output`, the `structured` data of every result must match it.
 */
export function defineTool<Schema extends z.ZodType>(
  definition: Parts<z.output<Schema>> & { readonly input: Schema; readonly output?: z.ZodType },
): Tool<z.output<Schema>> {
  const { input: schema, output, ...parts } = definition
  let made: ToolSpec['input_schema'] | undefined
  const toJson = (): ToolSpec['input_schema'] => {
    if (made) return made
    const { $schema: _, ...form } = z.toJSONSchema(schema, { io: 'input', override: omitUnoffered })
    made = form
    return form
  }
  return {
    isReadOnly: changes,
    ...parts,
    ...(output === undefined ? {} : { checkOutput: structured => outputProblems(output, structured) }),
    get input_schema() {
      return toJson()
    },
    check(input): CheckedInput<z.output<Schema>> {
      const parsed = parseSafely(schema, input)
      if (parsed.success) return { ok: true, input: parsed.data }
      return { ok: false, problems: describeIssues(parsed.error.issues, input, toJson()) }
    },
  }
}

/**
 * Drops what a model does not need: fields with the meta value `unlisted`, which are accepted and not offered, the
 * default `false`, which an absent flag means anyway, and the bounds of safe integers.
 */
function omitUnoffered({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.default === false) delete jsonSchema.default
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  for (const [name, field] of Object.entries(jsonSchema.properties ?? {}))
    if (typeof field === 'object' && field['unlisted'] === true) delete jsonSchema.properties?.[name]
}

function outputProblems(schema: z.ZodType, structured: unknown): readonly string[] {
  const parsed = parseSafely(schema, structured)
  if (parsed.success) return []
  return parsed.error.issues.slice(0, MAX_PROBLEMS).map(({ path, message }) => {
    const where = path.length > 0 ? `\`${path.join('.')}\`` : 'the result'
    return `${where}: ${message}`
  })
}

/** The same from an external JSON Schema (MCP servers, configuration). Arguments arrive unchanged. */
export function defineRawTool(
  definition: Parts<Readonly<Record<string, unknown>>> & { readonly input_schema: ToolSpec['input_schema'] },
): Tool<Readonly<Record<string, unknown>>> {
  return { isReadOnly: changes, ...definition, check: createSchemaCheck(definition.input_schema) }
}
