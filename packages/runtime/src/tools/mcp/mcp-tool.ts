/** One tool of a server as a tool of ours. */
import {
  type CallToolResult,
  type Progress,
  ProtocolError,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client'
import type { Tool, ToolContext, ToolProblem, ToolStep } from '@toolwire/core'
import { defineRawTool } from '../define-tool.ts'
import type { Connection } from './connection.ts'
import type { ListedTool } from './list-tools.ts'
import { toOutcome } from './tool-result.ts'

const PROGRESS_EVERY_MS = 100

/** What the server says of the tool counts only when the server is trusted. */
export function createMcpTool(name: string, tool: ListedTool, connection: Connection): Tool {
  const server = connection.name
  const trusted = connection.config.trusted === true
  const readOnly = trusted && tool.read_only
  return defineRawTool({
    name,
    type: 'mcp',
    server,
    ...(tool.title === undefined ? {} : { title: tool.title }),
    description: tool.description,
    input_schema: tool.input_schema,
    isReadOnly: () => readOnly,
    access: async () => [{ key: `mcp:${server}`, mode: readOnly ? 'read' : 'write' }],
    call: (input, context) => run(tool, input, connection, context),
    recover: async () => ({ type: trusted && tool.idempotent ? 'not_done' : 'unknown' }),
    view: input => ({
      title: tool.title ?? tool.name,
      kind: 'mcp',
      body: { server, tool: tool.name, input },
    }),
    preview: async () => ({ server, tool: tool.name, source: sourceOf(connection), trusted }),
  })
}

/** Where the server comes from, without anything secret. */
function sourceOf({ config }: Connection): string {
  if (config.type === 'stdio') return [config.command, ...config.args].join(' ')
  const { origin, pathname } = new URL(config.url)
  return origin + pathname
}

type Ended =
  | { readonly ok: true; readonly result: CallToolResult }
  | { readonly ok: false; readonly error: unknown }

async function* run(
  tool: ListedTool,
  input: Readonly<Record<string, unknown>>,
  connection: Connection,
  { signal }: ToolContext,
): AsyncIterable<ToolStep> {
  let latest: Progress | undefined
  let news = Promise.withResolvers<void>()
  const onProgress = (progress: Progress): void => {
    latest = progress
    news.resolve()
  }
  const ended = connection.call({ tool, input, signal, onProgress }).then(
    (result): Ended => ({ ok: true, result }),
    (error: unknown): Ended => ({ ok: false, error }),
  )
  for (;;) {
    const end = await Promise.race([ended, news.promise])
    if (latest) yield toProgress(latest)
    latest = undefined
    if (end) {
      yield toStep(end, tool, connection)
      return
    }
    news = Promise.withResolvers()
    // However many reports arrive meanwhile, only the last is passed on.
    await Promise.race([ended, pause(PROGRESS_EVERY_MS)])
  }
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms).unref())

const toProgress = ({ progress, total, message }: Progress): ToolStep => ({
  type: 'progress',
  progress,
  ...(total === undefined ? {} : { total }),
  ...(message === undefined ? {} : { message: message.slice(0, 1000) }),
})

function toStep(end: Ended, tool: ListedTool, connection: Connection): ToolStep {
  if (end.ok) return { type: 'result', ...toOutcome(end.result, tool.output_schema) }
  return { type: 'failure', ...toProblem(end.error, tool, connection) }
}

function toProblem(error: unknown, tool: ListedTool, connection: Connection): ToolProblem {
  const { name } = connection
  const said = error instanceof Error ? error.message : String(error)
  if (SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout)
    return {
      code: 'timeout',
      message: `${name}: ${tool.name} gave no sign of life for too long.`,
      retryable: true,
    }
  if (ProtocolError.isInstance(error))
    return { code: 'mcp_error', message: `${name}: ${said}`, details: { code: error.code } }
  const { state, error: why } = connection.status()
  const more = state === 'ready' || why === undefined || why.includes(said) ? '' : ` ${why}`
  return {
    code: 'mcp_error',
    message: `The MCP server ${name} failed: ${why?.includes(said) ? why : said}${more}`,
    retryable: true,
  }
}
