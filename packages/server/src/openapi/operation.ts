/** The part of a route's declaration that describes it. Data only. */
import type { ErrorCode } from '@toolwire/core'
import type { z } from 'zod'
import type { HeaderName } from './header-parameters.ts'

/** The format of errors. `models` is that of the vendor whose client sent the request. */
export type ErrorShape = 'api' | 'thread' | 'chat' | 'responses' | 'messages' | 'models' | 'mcp' | 'text'

export interface Operation {
  /** Unique. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** `api` when absent. */
  readonly errorShape?: ErrorShape
  /** Errors of this route alone; those that every route can have are added. */
  readonly errors?: readonly ErrorCode[]
  readonly query?: z.ZodObject
  readonly headers?: readonly HeaderName[]
  /** The meaning of the rest of the path, for one that ends in `*`. */
  readonly rest?: string
  readonly body?: z.ZodType
  /** The body is a file, as it is or as a part of a form with these other fields. */
  readonly upload?: z.ZodObject
  /** The body may be left out. */
  readonly isBodyOptional?: boolean
  readonly responses: Readonly<Record<number, Answer>>
}

/** Errors of a route that finds a session by its id. */
export const SESSION_ERRORS = ['session_not_found', 'session_deleted'] as const

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

/** Errors of a message that meets a session which is not idle. */
export const QUEUE_ERRORS = ['session_running', 'run_changed', 'queue_full'] as const

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
