import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { AppError } from '@toolwire/core'

/** A rejection says what to change; a bug stays one, without its text. */
export function toProtocolError(error: unknown): unknown {
  if (!AppError.is(error)) return error
  if (error.code === 'internal') return new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error')
  return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: error.code })
}
