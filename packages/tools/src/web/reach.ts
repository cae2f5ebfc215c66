/**
 * Decides where a tool may connect to. The checked address is the connected one, so a name that resolves
 * differently a moment later gains nothing.
 */
import { lookup as resolve } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { ToolProblem } from '@toolwire/core'
import { isPublicAddress } from './public-address.ts'

export interface Reach {
  /** Hosts that may be private, exactly as written in an address. */
  readonly private_hosts?: readonly string[] | undefined
  /** Resolves names; the system's resolver if absent. */
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined
}

export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}

/** The reason that an address may not be fetched, before any lookup; undefined if it may. Pure. */
export function urlProblem(text: string): ToolProblem | undefined {
  const url = URL.parse(text)
  if (!url) return { code: 'bad_url', message: `This is not an address: ${text.slice(0, 200)}` }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { code: 'bad_url', message: `Only http and https can be fetched, not ${url.protocol}` }
  if (url.username !== '' || url.password !== '')
    return { code: 'bad_url', message: 'Addresses with a user name or a password are not fetched.' }
  return text.length > 8000 ? { code: 'bad_url', message: 'The address is too long.' } : undefined
}

/** The addresses a host may be reached at. Throws `UnreachableError` when it is private or unknown. */
export async function addressesOf(url: URL, reach: Reach): Promise<readonly string[]> {
  const host = bareHost(url)
  const found = isIP(host) ? [host] : await look(host, reach)
  if (found.length === 0) throw new UnreachableError(`${host} has no address.`)
  const allowed = reach.private_hosts?.includes(host) ?? false
  if (!allowed && !found.every(isPublicAddress))
    throw new UnreachableError(`${host} is a private address, which is not fetched.`)
  return found
}

async function look(host: string, reach: Reach): Promise<readonly string[]> {
  try {
    if (reach.resolve) return await reach.resolve(host)
    return (await resolve(host, { all: true })).map(one => one.address)
  } catch (error) {
    throw new UnreachableError(`${host} cannot be found: ${error instanceof Error ? error.message : error}`)
  }
}

/** For a connection: answers with what was checked, whatever it is asked. */
export const pinned =
  (addresses: readonly string[]): LookupFunction =>
  (_host, options, answer) => {
    const all = addresses.map(address => ({ address, family: isIP(address) }))
    const [first] = all
    if (options.all) answer(null, all)
    else if (first) answer(null, first.address, first.family)
    else answer(new UnreachableError('no address'), '', 0)
  }

export const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')
