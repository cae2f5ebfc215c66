/** A request to a server for a call: a tool, a resource or a prompt. Each may make the server ask back. */
import type {
  CallToolResult,
  Client,
  GetPromptResult,
  InputRequiredResult,
  InputResponses,
  ReadResourceResult,
  RequestOptions,
} from '@modelcontextprotocol/client'
import { isInputRequiredResult } from '@modelcontextprotocol/client'
import type { ListedTool } from './list-tools.ts'

type Fields = Readonly<Record<string, unknown>>

export type McpRequest =
  | { readonly method: 'tools/call'; readonly tool: ListedTool; readonly input: Fields }
  | { readonly method: 'resources/read'; readonly uri: string }
  | {
      readonly method: 'prompts/get'
      readonly prompt: string
      readonly input: Readonly<Record<string, string>>
    }

/** The server's request of an earlier round. */
export interface Resume {
  readonly responses: Fields
  readonly request_state: string | undefined
}

/** A server's answer: a result, or the input it needs first. */
export type McpAnswer = CallToolResult | InputRequiredResult

/** A description of the request. */
export function nameOfRequest(request: McpRequest): string {
  return request.method === 'tools/call' ? request.tool.name : request.method
}

/** Every answer in the form of a tool's. Throws what the protocol throws. */
export async function sendRequest(
  client: Client,
  request: McpRequest,
  resume: Resume | undefined,
  options: RequestOptions,
): Promise<McpAnswer> {
  const more = { ...options, allowInputRequired: true as const }
  switch (request.method) {
    case 'tools/call': {
      const { tool, input } = request
      // Without its output schema: a result that breaks it is still a result.
      const toolDefinition = {
        name: tool.name,
        inputSchema: { ...tool.input_schema, type: 'object' as const },
      }
      const params = { name: tool.name, arguments: { ...input }, ...resumed(resume) }
      return await client.callTool(params, { ...more, toolDefinition })
    }
    case 'resources/read': {
      const params = { uri: request.uri, ...resumed(resume) }
      return fromResource(await client.readResource(params, { ...more, cacheMode: 'bypass' }))
    }
    case 'prompts/get': {
      const params = { name: request.prompt, arguments: { ...request.input }, ...resumed(resume) }
      return fromPrompt(await client.getPrompt(params, more))
    }
  }
}

function resumed({ responses, request_state }: Partial<Resume> = {}): {
  inputResponses?: InputResponses
  requestState?: string
} {
  const given = responses && Object.keys(responses).length > 0
  return {
    ...(given ? { inputResponses: { ...responses } as InputResponses } : {}),
    ...(request_state === undefined ? {} : { requestState: request_state }),
  }
}

function fromResource(answer: ReadResourceResult | InputRequiredResult): McpAnswer {
  if (isInputRequiredResult(answer)) return answer
  return { content: answer.contents.map(resource => ({ type: 'resource' as const, resource })) }
}

function fromPrompt(answer: GetPromptResult | InputRequiredResult): McpAnswer {
  if (isInputRequiredResult(answer)) return answer
  return {
    content: answer.messages.flatMap(message => [
      { type: 'text' as const, text: `${message.role}:` },
      message.content,
    ]),
  }
}
