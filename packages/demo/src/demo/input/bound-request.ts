/** A very large request as the demo model reads it: long texts are shortened, so that planning never takes long. Pure. */
import type { ModelRequest } from '@toolwire/core'

export interface BoundedRequest {
  readonly request: ModelRequest
  /** Characters that are left out. */
  readonly omitted: number
}

/** Characters of all texts together. */
const MOST = 2_000_000

/** The same request if it is of usual size. */
export function boundRequest(request: ModelRequest): BoundedRequest {
  const size = measure(request.messages)
  if (size.characters <= MOST) return { request, omitted: 0 }
  const limit = Math.floor(MOST / size.texts)
  const messages = shorten(request.messages, limit) as ModelRequest['messages']
  return { request: { ...request, messages }, omitted: size.characters - measure(messages).characters }
}

interface Size {
  readonly texts: number
  readonly characters: number
}

function measure(value: unknown): Size {
  if (typeof value === 'string') return { texts: 1, characters: value.length }
  if (typeof value !== 'object' || value === null) return { texts: 0, characters: 0 }
  let texts = 0
  let characters = 0
  for (const one of Object.values(value)) {
    const size = measure(one)
    texts += size.texts
    characters += size.characters
  }
  return { texts, characters }
}

function shorten(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return value.length > limit ? value.slice(0, limit) : value
  if (Array.isArray(value)) return value.map(one => shorten(one, limit))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one, limit)]))
}
