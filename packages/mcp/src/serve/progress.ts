/** Progress of a call as notifications on its stream. */
import type { ServerContext } from '@modelcontextprotocol/server'
import type { HostedProgress } from '@toolwire/core'

/** Undefined when the client asked for none. */
export function progressSender({ mcpReq }: ServerContext): ((progress: HostedProgress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  return progress => {
    const params = { progressToken, ...progress }
    // A client that left does not matter here: the request's signal reports it.
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
}
