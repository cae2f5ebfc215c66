/** Decides if a provider address given at run time may be contacted, by the same rules as for tools. */
import type { LookupFunction } from 'node:net'
import { AppError } from '@toolwire/core'
import { addressesOf, bareHost, pinned } from '@toolwire/tools'

export interface AddressRules {
  /** The caller is on this machine. */
  readonly isLocal: boolean
  /** Hosts that the settings allow, with or without port. */
  readonly hosts: readonly string[]
}

/**
 * Resolves with whether the address may be in the own network; one that may not is checked again at every connection.
 * Throws `bad_request` with the reason.
 */
export async function checkAddress(
  text: string,
  rules: AddressRules,
): Promise<{ readonly is_near: boolean }> {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw refuse('must be an address that begins with https:// or http://')
  if (url.username !== '' || url.password !== '') throw refuse('must not hold a user name or a password')
  if (url.search !== '' || url.hash !== '') throw refuse('must end with its path')
  if (rules.isLocal || rules.hosts.some(host => host === url.host || host === bareHost(url)))
    return { is_near: true }
  if (url.protocol !== 'https:') throw refuse('must begin with https://: a key is not sent in the clear')
  await addressesOf(url, {}).catch(() => {
    throw refuse(
      'leads into the own network or nowhere; name its host in the setting "providerHosts" if that is meant',
    )
  })
  return { is_near: false }
}

const refuse = (why: string): AppError => new AppError('bad_request', `base_url: ${why}`)

/** Connects to public addresses only, whatever a name resolves to by then. */
export const publicLookup: LookupFunction = (host, options, answer) => {
  addressesOf(new URL(`https://${host}`), {}).then(
    addresses => pinned(addresses)(host, options, answer),
    (error: unknown) => answer(error instanceof Error ? error : new Error(String(error)), '', 0),
  )
}
