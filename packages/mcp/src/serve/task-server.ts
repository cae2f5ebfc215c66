/** A protocol server whose calls may end with a task. */
import { type JSONRPCRequest, type Result, Server, type ServerContext } from '@modelcontextprotocol/server'

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>

export class TaskServer extends Server {
  /** The library checks results of `tools/call` against its own types, which have no tasks. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    if (method !== 'tools/call') return super._wrapHandler(method, handler)
    return async (request, ctx) => {
      let task: Result | undefined
      const checked = super._wrapHandler(method, async (...args) => {
        const result = await handler(...args)
        if (result['resultType'] !== 'task') return result
        const { content, ...fields } = result
        task = fields
        return { content }
      })
      const result = await checked(request, ctx)
      return task ?? result
    }
  }
}
