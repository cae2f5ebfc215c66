/** Size limits of a fetched page. Apart from the fetching, so that describing them loads nothing. */
export interface FetchLimits {
  readonly bytes: number
  readonly ms: number
  readonly redirects: number
}

export const FETCH_LIMITS: FetchLimits = { bytes: 10 * 1024 * 1024, ms: 30_000, redirects: 5 }
