/** Messages between this app and the page beside a call: JSON-RPC 2.0, one object each. */

export type RequestId = string | number
export type Fields = Readonly<Record<string, unknown>>

/** A valid message of a page. */
export type PageMessage =
  | { readonly type: 'request'; readonly id: RequestId; readonly method: string; readonly params: Fields }
  | { readonly type: 'notice'; readonly method: string; readonly params: Fields }
  | { readonly type: 'response'; readonly id: RequestId }

export type JsonRpcMessage = Fields & { readonly jsonrpc: '2.0' }

/** Undefined for anything that is no message. Never throws. */
export function readMessage(data: unknown): PageMessage | undefined {
  if (!isFields(data) || data['jsonrpc'] !== '2.0') return undefined
  const { id, method, params = {} } = data
  const named = typeof id === 'string' || typeof id === 'number'
  if (method === undefined) return named ? { type: 'response', id } : undefined
  if (typeof method !== 'string' || !isFields(params)) return undefined
  if (id === undefined) return { type: 'notice', method, params }
  return named ? { type: 'request', id, method, params } : undefined
}

export const toNotice = (method: string, params: Fields): JsonRpcMessage => ({
  jsonrpc: '2.0',
  method,
  params,
})
export const toRequest = (id: RequestId, method: string): JsonRpcMessage => ({
  jsonrpc: '2.0',
  id,
  method,
  params: {},
})
export const toAnswer = (id: RequestId, result: Fields): JsonRpcMessage => ({ jsonrpc: '2.0', id, result })
export const toRefusal = (id: RequestId, code: number, message: string): JsonRpcMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
