/** Errors outside of the protocol's own methods, as JSON-RPC errors. Pure. */
import type { AppError, ErrorCode } from '@toolwire/core'

const CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_json: -32700,
  invalid_utf8: -32700,
  internal: -32603,
}

export interface McpErrorBody {
  readonly jsonrpc: '2.0'
  readonly id: null
  readonly error: {
    readonly code: number
    readonly message: string
    readonly data: { readonly code: ErrorCode }
  }
}

/** The request's id is unknown: it was not read. */
export const toMcpError = ({ code, message }: Pick<AppError, 'code' | 'message'>): McpErrorBody => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: CODES[code] ?? -32600, message, data: { code } },
})
