/** A `fetch` that holds everything that goes through it against the server's own description. */
import type { OpenApiDocument } from '../../src/openapi/document.ts'
import { type Contract, createContract } from './contract.ts'

export interface Watched {
  readonly fetch: typeof fetch
  /** What the description does not say of the exchanges so far. */
  readonly problems: readonly string[]
  readonly contract: Contract
  /** Sends JSON and reads JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are read field by field
  readonly call: (method: string, path: string, body?: unknown, headers?: HeadersInit) => Promise<any>
}

/** Bodies are read whole before the caller gets them: only for answers that end. */
export async function watch(url: string): Promise<Watched> {
  const document: OpenApiDocument = await (await fetch(`${url}/openapi.json`)).json()
  const contract = createContract(document)
  const problems: string[] = []
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const address = new URL(input instanceof Request ? input.url : input)
    const text = await response.clone().text()
    const sent = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
    problems.push(
      ...contract.check({
        method: init?.method ?? 'GET',
        path: address.pathname,
        sent,
        status: response.status,
        type: response.headers.get('content-type') ?? '',
        text,
      }),
    )
    return response
  }
  return {
    fetch: watched,
    problems,
    contract,
    async call(method, path, body, headers = {}) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const type: HeadersInit = body === undefined ? {} : { 'content-type': 'application/json' }
      const response = await watched(url + path, { method, ...sent, headers: { ...type, ...headers } })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      return isJson ? JSON.parse(text) : text
    },
  }
}
