/** The tools of a server, as far as they are what the protocol says. What is not is left out, and counted. */
import type { Client } from '@modelcontextprotocol/client'
import { safeHead } from '@toolwire/core'
import { parseSafely } from '@toolwire/tools/internal'
import { z } from 'zod'
import { listPages } from './list-pages.ts'
import { type ToolUi, uiOf } from './tool-ui.ts'

/** One server's list may have so much. */
const LIST_LIMITS = {
  tools: 500,
  definition_chars: 128 * 1024,
  description_chars: 8 * 1024,
} as const

type Fields = Readonly<Record<string, unknown>>

export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly input_schema: Fields
  readonly output_schema?: Fields
  /** Only what it says of itself. */
  readonly read_only: boolean
  readonly idempotent: boolean
  readonly destructive?: boolean
  /** Absent without page data: then it has no page, and models may call it. */
  readonly ui?: ToolUi
}

export interface ToolList {
  readonly tools: readonly ListedTool[]
  /** Entries that were left out. */
  readonly skipped: number
}

const schema = z.record(z.string(), z.unknown())
const Definition = z.object({
  name: z.string().min(1).max(256),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: schema.refine(given => given['type'] === undefined || given['type'] === 'object'),
  outputSchema: schema.optional().catch(undefined),
  annotations: z
    .looseObject({
      title: z.string().optional(),
      readOnlyHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
  _meta: z.unknown().optional(),
})

/** Throws when the server fails or does not answer. A list without end, or in a circle, is cut. */
export async function listTools(client: Client): Promise<ToolList> {
  const found = new Map<string, ListedTool>()
  let skipped = 0
  if (!client.getServerCapabilities()?.tools) return { tools: [], skipped }
  for await (const entries of listPages(client, 'tools/list', 'tools')) {
    for (const entry of entries) {
      const tool = found.size < LIST_LIMITS.tools ? toListed(entry) : undefined
      if (tool && !found.has(tool.name)) found.set(tool.name, tool)
      else skipped++
    }
    if (found.size >= LIST_LIMITS.tools) break
  }
  return { tools: [...found.values()], skipped }
}

function toListed(entry: unknown): ListedTool | undefined {
  const parsed = parseSafely(Definition, entry)
  if (!parsed.success || JSON.stringify(entry).length > LIST_LIMITS.definition_chars) return undefined
  const { name, title, description, inputSchema, outputSchema, annotations, _meta } = parsed.data
  const ui = uiOf(_meta)
  const shown = title ?? annotations?.title
  return {
    name,
    ...(shown ? { title: safeHead(shown, 200) } : {}),
    description: safeHead(description ?? shown ?? name, LIST_LIMITS.description_chars),
    input_schema: { type: 'object', ...inputSchema },
    ...(outputSchema ? { output_schema: outputSchema } : {}),
    read_only: annotations?.readOnlyHint === true,
    idempotent: annotations?.idempotentHint === true,
    ...(annotations?.destructiveHint === true && annotations.readOnlyHint !== true
      ? { destructive: true }
      : {}),
    ...(ui ? { ui } : {}),
  }
}
