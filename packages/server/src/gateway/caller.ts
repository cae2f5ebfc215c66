/** Who asks, and what the headers of a vendor wire's request say beside its body. */
import { AppError } from '@toolwire/core'
import type { FastifyRequest } from 'fastify'
import { fingerprint } from './chain.ts'

export interface Caller {
  /** A fingerprint of the key; conversations of different keys never meet. */
  readonly owner: string
  readonly session_id: string | undefined
  readonly server_tools: readonly string[] | undefined
  readonly strict: boolean
}

const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/

/** Throws `bad_request` for headers of the wrong form. */
export function readCaller(request: FastifyRequest): Caller {
  const key = header(request, 'authorization') ?? header(request, 'x-api-key') ?? ''
  const session_id = header(request, 'x-session-id')
  const repair = header(request, 'x-tool-repair')
  if (session_id !== undefined && !isSessionId(session_id))
    throw new AppError('bad_request', 'x-session-id: 1 to 128 letters, digits, _ or -')
  if (repair !== undefined && repair !== 'strict' && repair !== 'repair')
    throw new AppError('bad_request', 'x-tool-repair: strict or repair')
  return {
    owner: fingerprint(key),
    session_id,
    server_tools: header(request, 'x-server-tools')
      ?.split(',')
      .map(name => name.trim())
      .filter(name => name !== ''),
    strict: repair === 'strict',
  }
}

export const isSessionId = (id: string): boolean => SESSION_ID.test(id)

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
