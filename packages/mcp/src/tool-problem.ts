/** The reason that a call of an MCP tool failed, for the model and users. */
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import type { ToolProblem } from '@toolwire/core'
import type { Connection } from './connection.ts'
import { SignInNeededError } from './open-server.ts'
import { CallTimeoutError } from './send-call.ts'

/** Pure but for the connection's status. */
export function toProblem(
  error: unknown,
  tool: { readonly name: string },
  connection: Pick<Connection, 'name' | 'status'>,
): ToolProblem {
  const { name } = connection
  const said = error instanceof Error ? error.message : String(error)
  if (isTimeout(error))
    return {
      code: 'timeout',
      message: `${name}: ${tool.name} gave no sign of life for too long.`,
      retryable: true,
    }
  if (error instanceof SignInNeededError)
    return {
      code: 'mcp_auth',
      message: said,
      details: { authorization_url: connection.status().authorization_url },
      outside: `MCP server ${name}`,
    }
  const outside = `MCP server ${name}`
  if (ProtocolError.isInstance(error))
    return { code: 'mcp_error', message: `${name}: ${said}`, details: { code: error.code }, outside }
  const { state, error: why } = connection.status()
  const more = state === 'ready' || why === undefined || why.includes(said) ? '' : ` ${why}`
  return {
    code: 'mcp_error',
    message: `The MCP server ${name} failed: ${why?.includes(said) ? why : said}${more}`,
    retryable: true,
    outside,
  }
}

const isTimeout = (error: unknown): boolean =>
  error instanceof CallTimeoutError ||
  (SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout)
