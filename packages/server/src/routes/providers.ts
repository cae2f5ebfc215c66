/**
 * Keys of model providers, set at run time: GET, PUT and DELETE under /api/providers, and a test. They apply to
 * every caller, so they need the scope `admin`. A key is never returned.
 */
import { AppError } from '@toolwire/core'
import { parseBody } from '@toolwire/wire'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { createLimiter } from '../access/limiter.ts'
import { LOCAL_OPERATOR } from '../access/principal.ts'
import { recordAudit } from '../access/record-audit.ts'
import type { ServerContext } from '../context.ts'
import type { ProviderPort } from '../ports/provider-port.ts'

const KEY_RULE = 'must be 1 to 512 visible characters without spaces'

export const ProviderKeyBody = z
  .strictObject({
    key: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]{1,512}$/, KEY_RULE)
      .optional(),
    base_url: z.string().trim().min(1).max(2048).optional(),
    api: z
      .enum(['anthropic', 'openai-chat', 'openai-responses'])
      .optional()
      .describe('The API of a new provider, which needs `base_url` too.'),
    test: z.boolean().optional().describe('Ask the provider first, and store nothing if that fails.'),
  })
  .refine(body => body.key !== undefined || body.base_url !== undefined, 'a key or an address is needed')

type Params = { Params: { provider: string } }

/** Each test is a request to a third-party server from this one's address. */
const TESTS = { requests_per_minute: 10, concurrent: 2, budget_usd: null }

export function addProviderRoutes(app: FastifyInstance, context: ServerContext): void {
  const limiter = createLimiter()

  app.get('/api/providers', async () => ({
    providers: portOf(context).list(),
    // Other servers on the same database have separate keys.
    shared: context.config.shared,
  }))

  app.put<Params>('/api/providers/:provider/key', async (request, reply) => {
    const port = portOf(context)
    const { key, base_url, api, test: isTested = false } = parseBody(ProviderKeyBody, request.body)
    // Only a body with an API makes a new provider.
    const provider = api === undefined ? known(port, request.params.provider) : request.params.provider
    const entry = {
      ...(key === undefined ? {} : { key }),
      ...(base_url === undefined ? {} : { base_url }),
      ...(api === undefined ? {} : { api }),
    }
    const options = { isLocal: context.principal().unbounded, isTested }
    const put = () => port.put(provider, entry, options).catch(withoutWords)
    const status = found(isTested ? await limitTest(reply, put) : await put())
    if (status.test?.ok === false) return status
    await recordAudit(context, 'provider_key.set', {
      details: { provider, ...(status.base_url === undefined ? {} : { base_url: status.base_url }) },
    })
    return status
  })

  app.delete<Params>('/api/providers/:provider/key', async request => {
    const port = portOf(context)
    const provider = known(port, request.params.provider)
    const before = port.list().find(status => status.provider === provider)
    const status = found(await port.remove(provider))
    if (before?.stored) await recordAudit(context, 'provider_key.removed', { details: { provider } })
    return status
  })

  app.post<Params>('/api/providers/:provider/test', async (request, reply) => {
    const port = portOf(context)
    const provider = known(port, request.params.provider)
    return found(await limitTest(reply, () => port.test(provider)))
  })

  async function limitTest<T>(reply: FastifyReply, test: () => Promise<T>): Promise<T> {
    const leave = enter(reply, () => limiter.enter({ ...LOCAL_OPERATOR, key_id: 'tests', limits: TESTS }))
    try {
      return await test()
    } finally {
      leave()
    }
  }
}

function portOf({ config }: ServerContext): ProviderPort {
  if (!config.providers) throw new AppError('not_found', 'This server keeps no keys of providers.')
  return config.providers
}

/** An error may repeat the key, and a bug is logged in full: only its name is kept. */
function withoutWords(error: unknown): never {
  if (AppError.is(error)) throw error
  throw new Error(`A key could not be set: ${error instanceof Error ? error.name : typeof error}`)
}

/** Before anything is read or counted: a provider that there is. */
const known = (port: ProviderPort, provider: string): string =>
  found(port.list().find(status => status.provider === provider)).provider

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new AppError('not_found', 'There is no such provider.')
  return value
}

function enter(reply: FastifyReply, count: () => () => void): () => void {
  try {
    return count()
  } catch (error) {
    if (!AppError.is(error)) throw error
    const { retry_after } = error.details as { readonly retry_after: number }
    reply.header('retry-after', String(retry_after))
    throw new AppError('too_many_requests', 'Keys are tested at most ten times a minute.', { retry_after })
  }
}
