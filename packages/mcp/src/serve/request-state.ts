/** The state that clients of the newer era carry between two requests of one call: signed, and without content. */
import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server'
import type { CallHost } from '@toolwire/core'
import { z } from 'zod'

const TTL_S = 24 * 60 * 60

export const CallState = z.object({
  /** The call's id, which names its session. */
  call: z.string(),
  /** The pending items that were sent with it. */
  items: z.array(z.string()),
})
export type CallState = z.infer<typeof CallState>

/** Bound to the key of the request: it is worth nothing with another one. */
export const createStateCodec = (host: Pick<CallHost, 'caller'>, key: string): RequestStateCodec<CallState> =>
  createRequestStateCodec<CallState>({ key, ttlSeconds: TTL_S, bind: () => host.caller() })
