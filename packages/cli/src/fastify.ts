/** `toolwire/fastify`: a Fastify plugin that hands a path to Toolwire, with bodies unread. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Toolwire } from './library/create-toolwire.ts'

/** The part of a Fastify instance that the plugin uses. */
interface FastifyScope {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: '*',
    parse: (request: unknown, payload: unknown, done: (error: null) => void) => void,
  ): void
  all(path: string, handle: (request: RawRequest, reply: RawReply) => void): void
}

interface RawRequest {
  readonly raw: IncomingMessage
}

interface RawReply {
  readonly raw: ServerResponse
  hijack(): void
}

export interface FastifyOptions {
  readonly toolwire: Pick<Toolwire, 'node'>
  /** The `basePath` of the instance. */
  readonly basePath: string
}

/** `app.register(toolwirePlugin, { toolwire, basePath: '/agent' })`. Parsers of other routes stay as they are. */
export async function toolwirePlugin(
  scope: FastifyScope,
  { toolwire, basePath }: FastifyOptions,
): Promise<void> {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  for (const path of [basePath, `${basePath}/*`])
    scope.all(path, (request, reply) => {
      reply.hijack()
      toolwire.node(request.raw, reply.raw)
    })
}
