/** One row of the API's description: a route, what it takes and what it answers. Data only. */
import type { ErrorCode } from '@toolwire/core'
import type { z } from 'zod'
import type { HeaderName } from './header-parameters.ts'

/** The format of an error. `models` uses the format of the client's vendor. */
export type ErrorShape = 'api' | 'thread' | 'chat' | 'responses' | 'messages' | 'models' | 'text'

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As the route is written, with `:name` and `*`. */
  readonly url: string
  /** Unique. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Answers without an API key. */
  readonly open?: boolean
  readonly errors?: ErrorShape
  /** Refusals that are this route's own; those that every route can give are added. */
  readonly refuses?: readonly ErrorCode[]
  readonly query?: z.ZodObject
  readonly headers?: readonly HeaderName[]
  /** The meaning of the rest of the path, for a url that ends in `*`. */
  readonly rest?: string
  readonly body?: z.ZodType
  /** The body may be left out. */
  readonly isBodyOptional?: boolean
  readonly answers: Readonly<Record<number, Answer>>
}

export interface Answer {
  readonly description: string
  readonly content?: readonly Content[]
}

interface Content {
  readonly type: string
  readonly schema?: z.ZodType
  /** The data of each event, for an event stream. */
  readonly frames?: z.ZodType
}

/** An answer with a JSON body. */
export const json = (schema: z.ZodType, description: string): Answer => ({
  description,
  content: [{ type: 'application/json', schema }],
})

/** An answer as server-sent events, each holding one of `frames` as JSON. */
export const stream = (frames: z.ZodType, description: string): Answer => ({
  description,
  content: [{ type: 'text/event-stream', frames }],
})

/** The whole answer, or its stream: the request chooses. */
export const either = (schema: z.ZodType, frames: z.ZodType, description: string): Answer => ({
  description,
  content: [
    { type: 'application/json', schema },
    { type: 'text/event-stream', frames },
  ],
})

/** An answer in another format. */
export const raw = (type: string, description: string): Answer => ({ description, content: [{ type }] })

/** An answer without a body. */
export const empty = (description: string): Answer => ({ description })
