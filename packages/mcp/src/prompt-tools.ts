/** The prompts that servers have ready, as two tools for all servers: what there is, and one filled in. */
import type { Tool } from '@toolwire/core'
import { safeHead } from '@toolwire/core'
import { defineTool } from '@toolwire/tools'
import { z } from 'zod'
import type { Connection } from './connection.ts'
import { collectPages } from './list-pages.ts'
import { runMcpCall } from './run-mcp-call.ts'
import { toProblem } from './tool-problem.ts'

const MAX_LISTED = 200

const Prompt = z.object({
  name: z.string(),
  description: z.string().optional().catch(undefined),
  arguments: z
    .array(z.object({ name: z.string(), required: z.boolean().optional() }))
    .optional()
    .catch(undefined),
})
const ListInput = z.strictObject({ server: z.string().optional().describe('Only of this server') })
const GetInput = z.strictObject({
  server: z.string().describe('The name of the server'),
  name: z.string().min(1).max(256),
  arguments: z.record(z.string(), z.string()).optional(),
})

export function createPromptTools(connections: readonly Connection[]): readonly Tool[] {
  return [createListTool(connections), createGetTool(connections)]
}

function createListTool(connections: readonly Connection[]): Tool {
  return defineTool({
    name: 'ListMcpPrompts',
    title: 'Prompts',
    type: 'builtin',
    description: 'Lists the prompts that MCP servers have ready, with their arguments.',
    input: ListInput,
    isReadOnly: () => true,
    may_repeat: true,
    async *call({ server }, { signal }) {
      const asked = connections.filter(
        one => (server === undefined || one.name === server) && one.status().prompts,
      )
      const lists = await Promise.all(asked.map(connection => listOf(connection, signal)))
      yield { type: 'result', output_text: lists.flat().join('\n') || 'No prompts.', outside: 'MCP servers' }
    },
  }) as Tool
}

async function listOf(connection: Connection, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const prompts = await connection.use(
      client => collectPages(client, 'prompts/list', 'prompts', MAX_LISTED),
      signal,
    )
    return prompts.flatMap(one => {
      const known = Prompt.safeParse(one)
      if (!known.success) return []
      const { name, description, arguments: wants = [] } = known.data
      const fields = wants.map(field => (field.required ? field.name : `${field.name}?`)).join(', ')
      return [
        safeHead(`${connection.name}\t${name}(${fields})${description ? ` · ${description}` : ''}`, 600),
      ]
    })
  } catch (error) {
    return [`${connection.name}: ${toProblem(error, { name: 'prompts/list' }, connection).message}`]
  }
}

function createGetTool(connections: readonly Connection[]): Tool {
  return defineTool({
    name: 'GetMcpPrompt',
    title: 'Prompt',
    type: 'builtin',
    description:
      'Fills in one prompt of an MCP server and gives its text. It comes from the server, not from the user.',
    input: GetInput,
    isReadOnly: () => true,
    async *call({ server, name, arguments: input = {} }, context) {
      const connection = connections.find(one => one.name === server)
      if (!connection)
        return yield { type: 'failure', code: 'mcp_error', message: `There is no MCP server ${server}.` }
      const request = { method: 'prompts/get', prompt: name, input } as const
      yield* runMcpCall({ request, connection, context, repeatable: true })
    },
  }) as Tool
}
