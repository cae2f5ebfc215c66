/** Resources of servers, as two tools for all servers: a list, and one resource. */
import type { Tool } from '@toolwire/core'
import { safeHead } from '@toolwire/core'
import { defineTool } from '@toolwire/tools'
import { z } from 'zod'
import type { Connection } from './connection.ts'
import { collectPages } from './list-pages.ts'
import { runMcpCall } from './run-mcp-call.ts'
import { toProblem } from './tool-problem.ts'

const MAX_LISTED = 200

const text = z.string().optional().catch(undefined)
const Resource = z.object({ uri: z.string(), name: text, title: text, description: text, mimeType: text })
const Template = z.object({
  uriTemplate: z.string(),
  name: text,
  title: text,
  description: text,
  mimeType: text,
})

const ListInput = z.strictObject({ server: z.string().optional().describe('Only of this server') })
const ReadInput = z.strictObject({
  server: z.string().describe('The name of the server'),
  uri: z.string().min(1).max(4096).describe('The address, as ListMcpResources returns it'),
})

export function createResourceTools(connections: readonly Connection[]): readonly Tool[] {
  return [createListTool(connections), createReadTool(connections)]
}

function createListTool(connections: readonly Connection[]): Tool {
  return defineTool({
    name: 'ListMcpResources',
    title: 'Resources',
    type: 'builtin',
    description: 'Lists what MCP servers offer to read, with the server and the address of each.',
    input: ListInput,
    isReadOnly: () => true,
    may_repeat: true,
    async *call({ server }, { signal }) {
      const asked = connections.filter(
        one => (server === undefined || one.name === server) && one.status().resources,
      )
      if (server !== undefined && asked.length === 0)
        return yield { type: 'failure', code: 'mcp_error', message: noSuch(server, connections) }
      const lists = await Promise.all(asked.map(connection => listOf(connection, signal)))
      yield {
        type: 'result',
        output_text: lists.flat().join('\n') || 'No resources.',
        outside: 'MCP servers',
      }
    },
  }) as Tool
}

async function listOf(connection: Connection, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await connection.use(async client => {
      const resources = await collectPages(client, 'resources/list', 'resources', MAX_LISTED)
      const templates = await collectPages(
        client,
        'resources/templates/list',
        'resourceTemplates',
        MAX_LISTED,
      ).catch(() => [])
      return [
        ...resources.flatMap(one => {
          const known = Resource.safeParse(one)
          return known.success ? [line(connection.name, known.data.uri, known.data)] : []
        }),
        ...templates.flatMap(one => {
          const known = Template.safeParse(one)
          return known.success ? [line(connection.name, known.data.uriTemplate, known.data)] : []
        }),
      ]
    }, signal)
  } catch (error) {
    return [`${connection.name}: ${toProblem(error, { name: 'resources/list' }, connection).message}`]
  }
}

const line = (
  server: string,
  address: string,
  {
    name,
    title,
    description,
    mimeType,
  }: Partial<Record<'name' | 'title' | 'description' | 'mimeType', string | undefined>>,
): string =>
  safeHead(
    [`${server}\t${address}`, title ?? name, mimeType, description]
      .filter(part => part !== undefined)
      .join(' · '),
    600,
  )

function createReadTool(connections: readonly Connection[]): Tool {
  return defineTool({
    name: 'ReadMcpResource',
    title: 'Resource',
    type: 'builtin',
    description: 'Reads one resource of an MCP server.',
    input: ReadInput,
    isReadOnly: () => true,
    // Reads, and the server's questions before them, may be repeated.
    async *call({ server, uri }, context) {
      const connection = connections.find(one => one.name === server)
      if (!connection)
        return yield { type: 'failure', code: 'mcp_error', message: noSuch(server, connections) }
      const request = { method: 'resources/read', uri } as const
      yield* runMcpCall({ request, connection, context, repeatable: true })
    },
  }) as Tool
}

const noSuch = (server: string, connections: readonly Connection[]): string =>
  `No MCP server ${JSON.stringify(server)} offers resources. Those that do: ${
    connections
      .filter(one => one.status().resources)
      .map(one => one.name)
      .join(', ') || 'none'
  }.`
