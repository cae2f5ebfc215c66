/**
 * Several requests may find at the same moment that a token has expired. A refresh token is valid for one use: a
 * second use would lose the sign-in. So one of them renews, and all share its response.
 */
import { RecentMap } from '@toolwire/core'

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

interface TokenResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A late caller holds one of the last tokens; older ones are unused. */
const KEPT = 3

/** The same fetch for everything but the use of a refresh token, which happens once. */
export function refreshOnce(fetch: Fetch): Fetch {
  const answers = new RecentMap<string, Promise<TokenResponse>>(KEPT)
  return async (url, init) => {
    const token = refreshTokenOf(init)
    if (token === undefined) return await fetch(url, init)
    const answer = answers.get(token) ?? read(fetch(url, init))
    answers.set(token, answer)
    try {
      const { status, headers, text } = await answer
      if (status >= 500) answers.delete(token)
      return new Response(text, { status, headers })
    } catch (error) {
      answers.delete(token)
      throw error
    }
  }
}

async function read(asking: Promise<Response>): Promise<TokenResponse> {
  const response = await asking
  const { status, headers } = response
  return { status, headers, text: await response.text() }
}

function refreshTokenOf(init: RequestInit | undefined): string | undefined {
  const { method, body } = init ?? {}
  if (method !== 'POST' || !(typeof body === 'string' || body instanceof URLSearchParams)) return undefined
  const form = new URLSearchParams(body)
  return form.get('grant_type') === 'refresh_token' ? (form.get('refresh_token') ?? undefined) : undefined
}
