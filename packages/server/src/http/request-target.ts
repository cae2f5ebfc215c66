/** The target and the Host of a request line. Two readings of them, here and in a proxy in front, must not differ. Pure. */
import type { IncomingMessage } from 'node:http'

export interface RequestTarget {
  /** Path and query; empty when the target has another form. */
  readonly url: string
  /** The authority of the target if it has one, else the Host header; several are joined, so that no name fits. */
  readonly host: string | undefined
}

/** An absolute target has the host that counts: the Host header beside it must be ignored (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is

export function readTarget(
  target: string,
  { headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
): RequestTarget {
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && isHost(rawHeaders[at - 1]))
  // Node keeps the first of several Host headers, and a proxy may have kept the last.
  const host = hosts.length > 1 ? hosts.join(', ') : headers.host
  if (target.startsWith('/')) return { url: target, host }
  const [, authority, rest = ''] = ABSOLUTE.exec(target) ?? []
  if (authority === undefined) return { url: '', host }
  return { url: rest.startsWith('/') ? rest : `/${rest}`, host: authority }
}

const isHost = (name: string | undefined): boolean => name?.length === 4 && name.toLowerCase() === 'host'
