/** Paths of a server that a host has mounted below a base path. */

/** A request of a Node host. Express and Connect keep the whole URL beside the one below their mount point. */
export interface HostUrl {
  readonly url?: string | undefined
  readonly originalUrl?: string | undefined
}

/**
 * Path and query below `base`, which has no slash at its end; undefined outside of it. The host may have stripped the
 * base path from `url` already.
 */
export function pathBelow({ url = '/', originalUrl = url }: HostUrl, base: string): string | undefined {
  if (base === '') return url
  const below = strip(originalUrl, base)
  const isStripped = originalUrl !== url && below === url
  return isStripped ? url : strip(url, base)
}

/** Only a whole segment matches: `/agents` is not below `/agent`. */
export function strip(url: string, base: string): string | undefined {
  if (!url.startsWith(base)) return undefined
  const rest = url.slice(base.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : undefined
}
