/** A product that opens when it is first needed, and its doors. The command and programs get the same one. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '@toolwire/core'
import { type Address, type HostUrl, type Principal, pathBelow, toErrorBody } from '@toolwire/server'
import type { OpenedProduct } from './open-product.ts'

export interface InstanceOptions {
  /** Opens nothing before it is called; called again after it has failed. */
  readonly open: () => Promise<OpenedProduct>
  readonly basePath: string
  /** Receives the reason for which requests are answered with 503. */
  readonly onError: (error: unknown) => void
}

export interface Instance {
  readonly node: (request: IncomingMessage & HostUrl, response: ServerResponse, next?: () => void) => void
  readonly handler: (request: Request, principal?: Principal) => Promise<Response>
  /** Binds before the first run is claimed, so that a taken address runs nothing. Returns the base URL. */
  readonly listen: (address?: Partial<Address>) => Promise<string>
  /** Resolves when requests are served and runs are claimed. Rejects with the reason; a later call tries again. */
  readonly ready: () => Promise<void>
  /** The opened product. Rejects with `shutting_down` after `close`. */
  readonly opened: () => Promise<OpenedProduct>
  /** Idempotent: every call waits for the same end. */
  readonly close: () => Promise<void>
}

export function createInstance({ open, basePath, onError }: InstanceOptions): Instance {
  let opening: Promise<OpenedProduct> | undefined
  let starting: Promise<void> | undefined
  let closing: Promise<void> | undefined
  let product: OpenedProduct | undefined

  async function opened(): Promise<OpenedProduct> {
    if (closing) throw new AppError('shutting_down')
    opening ??= open().catch(error => {
      opening = undefined
      throw error
    })
    return await opening
  }
  async function start(): Promise<void> {
    const opened_ = await opened()
    await opened_.start()
    product = opened_
  }
  async function ready(): Promise<void> {
    if (closing) throw new AppError('shutting_down')
    starting ??= start().catch(error => {
      starting = undefined
      throw error
    })
    await starting
  }
  async function close(): Promise<void> {
    const [last] = await Promise.allSettled([opening, starting])
    product = undefined
    if (last.status === 'fulfilled') await last.value?.close()
  }
  /** The response to a request that cannot be served. */
  function toRefusal(error: unknown): AppError {
    if (closing) return new AppError('shutting_down')
    onError(error)
    return new AppError('not_ready')
  }
  return {
    ready,
    opened,
    node(request, response, next) {
      if (product) return product.server.node(request, response, next)
      if (next && pathBelow(request, basePath) === undefined) return next()
      void serveLater(request, response)
    },
    async handler(request, principal) {
      requireRequest(request)
      try {
        if (!product) await ready()
      } catch (error) {
        return toResponse(toRefusal(error))
      }
      return product
        ? await product.server.handler(request, principal)
        : toResponse(new AppError('shutting_down'))
    },
    async listen(address) {
      const { server, listensAt } = await opened()
      const url = await server.listen(address)
      listensAt(url)
      await ready()
      return url
    },
    close() {
      closing ??= close()
      product = undefined
      return closing
    },
  }

  async function serveLater(request: IncomingMessage & HostUrl, response: ServerResponse): Promise<void> {
    try {
      await ready()
      if (!product) throw new AppError('shutting_down')
      product.server.node(request, response)
    } catch (error) {
      const { status, headers, text } = describe(toRefusal(error))
      response.writeHead(status, headers).end(text)
    }
  }
}

function requireRequest(request: unknown): void {
  const { url, headers } = (request ?? {}) as Partial<Request>
  if (typeof url !== 'string' || typeof headers?.get !== 'function')
    throw new TypeError('handler takes a Request of the fetch standard.')
}

const describe = (error: AppError) => ({
  status: 503,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': '1',
  },
  text: JSON.stringify(toErrorBody(error, randomUUID())),
})

function toResponse(error: AppError): Response {
  const { text, ...init } = describe(error)
  return new Response(text, init)
}
