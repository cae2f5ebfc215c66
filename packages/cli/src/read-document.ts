/** Reads documents of identity providers: from public addresses, without redirects, and no more than was asked for. */
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { DocumentRules, ReadDocument } from '@toolwire/server'
import { addressesOf, pinned } from '@toolwire/tools'

/** Not imported: an import reads every export of `node:http`, and some of them load Node's `fetch`. */
const { request: httpRequest } = process.getBuiltinModule('node:http')

export const readDocument: ReadDocument = async (address, rules) => {
  const signal = AbortSignal.timeout(rules.timeoutMs)
  const url = new URL(address)
  const addresses = await addressesOf(url, { private_hosts: rules.privateHosts })
  signal.throwIfAborted()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest
    const headers = { accept: 'application/json', 'accept-encoding': 'identity' }
    const sent = start(url, { headers, signal, lookup: pinned(addresses), agent: false })
    sent.on('response', resolve).on('error', reject).end()
  })
  try {
    return await readText(response, url, rules)
  } finally {
    response.destroy()
  }
}

async function readText(
  response: IncomingMessage,
  url: URL,
  { maxBytes }: Pick<DocumentRules, 'maxBytes'>,
): Promise<string> {
  if (response.statusCode !== 200)
    throw new Error(`${url.origin} responded with ${response.statusCode}; redirects are not followed.`)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) throw new Error(`${url.origin} sent more than ${maxBytes} bytes.`)
  }
  if (!response.complete) throw new Error(`${url.origin} ended its response early.`)
  return Buffer.concat(chunks).toString('utf8')
}
