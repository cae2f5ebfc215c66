/** Addresses at which hooks may be asked, and the signature of such a request. */
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { urlProblem } from '../web/reach.ts'

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The reason that a configured address is not taken; undefined if it is. */
function hookUrlProblem(text: string): string | undefined {
  const problem = urlProblem(text)
  if (problem) return problem.message
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || LOOPBACK.has(hostname)
    ? undefined
    : 'only https, or http to this machine itself, can be asked'
}

export const hookUrl = z.string().refine(url => hookUrlProblem(url) === undefined, {
  error: issue => hookUrlProblem(String(issue.input)),
})

/** Hosts of this machine that the configuration names itself may be reached; names that merely resolve to it may not. */
export const privateHosts = (url: URL): readonly string[] =>
  LOOPBACK.has(url.hostname) ? [url.hostname.replace(/^\[|\]$/g, '')] : []

const PREFIX = 'whsec_'

export function isHookSecret(text: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return false
  const { length } = keyOf(text)
  return length >= 24 && length <= 64
}

const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64')

/** The headers of Standard Webhooks. The same question has the same id whenever it is asked. */
export function signatureHeaders(
  body: string,
  { id, secret, now }: { readonly id: string; readonly secret: string; readonly now: Date },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signed = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signed}` }
}
