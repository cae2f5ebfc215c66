/** A hook that is asked over HTTP: the event as the JSON of a POST, the answer as the JSON of its response. */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { addressesOf, pinned } from '../web/reach.ts'
import type { HookHandler } from './hook-types.ts'
import { privateHosts, signatureHeaders } from './hook-url.ts'

/** Not imported: an import reads every export of `node:http`, and some of them load Node's `fetch`. */
const { request: httpRequest } = process.getBuiltinModule('node:http')

const MAX_RESPONSE = 64 * 1024

/** The text of the response. Throws when it cannot be had within `signal`; redirects are not followed. */
export async function runHookHttp(
  { url, headers, secret }: Extract<HookHandler, { readonly url: string }>,
  body: string,
  signal: AbortSignal,
): Promise<string> {
  const target = new URL(url)
  const addresses = await addressesOf(target, { private_hosts: privateHosts(target) })
  signal.throwIfAborted()
  const id = `hook_${createHash('sha256').update(body).digest('hex').slice(0, 32)}`
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send(target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'toolwire/0.1 (+hooks)',
        ...headers,
        ...(secret === undefined ? {} : signatureHeaders(body, { id, secret, now: new Date() })),
      },
      signal,
      lookup: pinned(addresses),
      agent: false,
    })
    sent.on('response', resolve).on('error', reject).end(body)
  })
  const { statusCode = 0 } = response
  if (statusCode >= 200 && statusCode < 300) return await readText(response)
  response.destroy()
  throw new Error(`it responded with status ${statusCode}`)
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_RESPONSE) throw new Error(`its response is longer than ${MAX_RESPONSE} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
