/** Makes a `Tool` from a zod schema, or from a raw JSON Schema, and a few functions. */
import type { CheckedInput, Tool, ToolSpec } from '@toolwire/core'
import { z } from 'zod'
import { createSchemaCheck } from './checks/json-schema.ts'
import { parseSafely } from './checks/parse-safely.ts'
import { describeIssues } from './checks/zod-issues.ts'

type Parts<Input> = Omit<Tool<Input>, 'check' | 'input_schema'>

/**
 * The schema is both what the model is told and what arguments are checked against; unknown
 * fields are refused unless the schema says otherwise. Throws at definition when the schema has
 * no JSON Schema form.
 */
export function defineTool<Schema extends z.ZodType>(
  definition: Parts<z.output<Schema>> & { readonly input: Schema },
): Tool<z.output<Schema>> {
  const { input: schema, ...parts } = definition
  const { $schema: _, ...input_schema } = z.toJSONSchema(schema, { io: 'input' })
  return {
    ...parts,
    input_schema,
    check(input): CheckedInput<z.output<Schema>> {
      const parsed = parseSafely(schema, input)
      if (parsed.success) return { ok: true, input: parsed.data }
      return { ok: false, problems: describeIssues(parsed.error.issues, input, input_schema) }
    },
  }
}

/** The same from JSON Schema as somebody else wrote it (MCP servers, configuration). Arguments arrive unchanged. */
export function defineRawTool(
  definition: Parts<Readonly<Record<string, unknown>>> & { readonly input_schema: ToolSpec['input_schema'] },
): Tool<Readonly<Record<string, unknown>>> {
  return { ...definition, check: createSchemaCheck(definition.input_schema) }
}
