/**
 * Keys of model providers, set at run time: GET, PUT and DELETE under /api/providers, and a test. They apply to
 * every caller, so they need the scope `admin`. A key is never returned.
 */
import { AppError } from '@toolwire/core'
import { z } from 'zod'
import { LOCAL_OPERATOR } from '../access/principal.ts'
import { recordAudit } from '../access/record-audit.ts'
import type { ServerContext } from '../context.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { RouteContext } from '../http/route-context.ts'
import { json } from '../openapi/operation.ts'
import {
  ProviderList,
  ProviderState,
  ProviderStored,
  ProviderTested,
} from '../openapi/shapes/provider-shapes.ts'
import type { ProviderPort } from '../ports/provider-port.ts'

const KEY_RULE = 'must be 1 to 512 visible characters without spaces'

const ProviderKeyBody = z
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

/** Each test is a request to a third-party server from this one's address. */
const TESTS = { requests_per_minute: 10, concurrent: 2, budget_usd: null }

export const providerRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/providers',
    scope: 'admin',
    id: 'listProviders',
    tag: 'Server',
    summary: 'Which providers have a key, and where it comes from',
    errors: ['not_found'],
    responses: { 200: json(ProviderList, 'No key is in it.') },
    handle: async (_, context) => ({
      providers: portOf(context).list(),
      // Other servers on the same database have separate keys.
      shared: context.settings.shared,
    }),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/providers/:provider/key',
    scope: 'admin',
    id: 'setProviderKey',
    tag: 'Server',
    summary: 'Sets or replaces the key of a provider, from the next request on',
    description:
      'Kept in the data folder of this server, in a file that its owner alone can read. An address in the own network is taken from whoever is at the machine, or when the setting `providerHosts` names its host. A key of the environment wins. With `test` the provider is asked first; a key that it rejects is not stored.',
    body: ProviderKeyBody,
    errors: ['bad_request', 'not_found', 'storage_error', 'too_many_requests'],
    responses: { 200: json(ProviderStored, 'What may be known of it, and the result of the test.') },
    handle: async (exchange, context) => {
      const port = portOf(context)
      const { key, base_url, api, test: isTested = false } = exchange.parseBody()
      // Only a body with an API makes a new provider.
      const provider = api === undefined ? known(port, exchange.params.provider) : exchange.params.provider
      const entry = {
        ...(key === undefined ? {} : { key }),
        ...(base_url === undefined ? {} : { base_url }),
        ...(api === undefined ? {} : { api }),
      }
      const options = { isLocal: context.principal().unbounded, isTested }
      const put = () => port.put(provider, entry, options).catch(withoutWords)
      const status = found(isTested ? await limitTest(context, put) : await put())
      if (status.test?.ok === false) return status
      await recordAudit(context, 'provider_key.set', {
        details: { provider, ...(status.base_url === undefined ? {} : { base_url: status.base_url }) },
      })
      return status
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/providers/:provider/key',
    scope: 'admin',
    id: 'removeProviderKey',
    tag: 'Server',
    summary: 'Forgets the key of a provider that was set here',
    errors: ['not_found', 'storage_error'],
    responses: { 200: json(ProviderState, 'What is left: a key of the environment stays.') },
    handle: async (exchange, context) => {
      const port = portOf(context)
      const provider = known(port, exchange.params.provider)
      const before = port.list().find(status => status.provider === provider)
      const status = found(await port.remove(provider))
      if (before?.stored) await recordAudit(context, 'provider_key.removed', { details: { provider } })
      return status
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/providers/:provider/test',
    scope: 'admin',
    id: 'testProvider',
    tag: 'Server',
    summary: 'Asks a provider for its models with the key that counts',
    description: 'Costs no tokens. At most ten times a minute.',
    errors: ['not_found', 'missing_key', 'too_many_requests'],
    responses: { 200: json(ProviderTested, 'How many models it has, or why it refused.') },
    handle: async (exchange, context) => {
      const port = portOf(context)
      const provider = known(port, exchange.params.provider)
      return found(await limitTest(context, () => port.test(provider)))
    },
  }),
]

async function limitTest<T>({ providerTests }: RouteContext, test: () => Promise<T>): Promise<T> {
  const leave = enter(() => providerTests.enter({ ...LOCAL_OPERATOR, key_id: 'tests', limits: TESTS }))
  try {
    return await test()
  } finally {
    leave()
  }
}

function portOf({ ports }: ServerContext): ProviderPort {
  if (!ports.providers) throw new AppError('not_found', 'This server keeps no keys of providers.')
  return ports.providers
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

function enter(count: () => () => void): () => void {
  try {
    return count()
  } catch (error) {
    if (!AppError.is(error)) throw error
    const { retry_after } = error.details as { readonly retry_after: number }
    throw new AppError('too_many_requests', 'Keys are tested at most ten times a minute.', { retry_after })
  }
}
