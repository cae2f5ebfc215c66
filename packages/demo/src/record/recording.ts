/** One recorded exchange with a provider, as its file holds it. */
import { isObject, parseJson } from '@toolwire/core'

export interface Recording {
  readonly v: 1
  readonly recorded_at: string
  readonly request: { readonly url: string; readonly body: unknown }
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The answer's text, in the pieces it came in. */
  readonly chunks: readonly string[]
  /** False when the connection broke. */
  readonly is_complete: boolean
}

/** Undefined for anything that is not a recording; what is given back can be played. Never throws. */
export function parseRecording(text: string): Recording | undefined {
  const value = parseJson(text)
  if (!isObject(value) || value['v'] !== 1) return undefined
  const { request, status, headers, chunks } = value
  const isWhole =
    isObject(request) &&
    typeof request['url'] === 'string' &&
    Number.isInteger(status) &&
    Number(status) >= 200 &&
    Number(status) <= 599 &&
    isObject(headers) &&
    Array.isArray(chunks) &&
    chunks.every(chunk => typeof chunk === 'string')
  return isWhole ? (value as unknown as Recording) : undefined
}
