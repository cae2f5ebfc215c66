/** A route, declared once: router, access check, error shape, API description and tests read this declaration. */
import type { z } from 'zod'
import type { Scope } from '../access/principal.ts'
import type { Operation } from '../openapi/operation.ts'
import type { Exchange } from './exchange.ts'
import type { RouteContext } from './route-context.ts'

/** HEAD is for a path without GET; it is not described. */
type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type Handler<E extends Exchange> = (exchange: E, context: RouteContext) => Promise<unknown>

/** An exchange as the handler of a declared route sees it. */
interface RouteExchange<Path extends string, Query extends z.ZodType, Body extends z.ZodType>
  extends Exchange {
  readonly params: PathParams<Path>
  parseQuery(): z.output<Query>
  parseBody(): z.output<Body>
}

/** The names in a path: `:name`, and `*` for its rest. */
type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Readonly<Record<Name, string>> & PathParams<Rest>
  : Path extends `${string}:${infer Name}`
    ? Readonly<Record<Name, string>>
    : Path extends `${string}*`
      ? Readonly<Record<'*', string>>
      : Readonly<Record<string, string>>

interface BodyLimits {
  readonly bytes: number
  /** Levels of nesting. */
  readonly depth: number
}

interface RouteBase extends Operation {
  readonly method: Method
  /** The scope that a key needs. `open` needs no key. */
  readonly scope: Scope | 'open'
  /** Replaces JSON.parse for a route that has to know more about the text than its value. Throws as that does. */
  readonly parseJson?: (text: string) => unknown
  /** The handler reads the body itself, and bounds it: a file. */
  readonly streamsBody?: boolean
  /** Limits of the body where they are not those of every route. */
  readonly bodyLimits?: BodyLimits
  /** It concerns what all sessions of an owner share: tokens for some sessions are refused. */
  readonly sharedByOwner?: boolean
  /** False on a server whose configuration leaves the route out. */
  readonly isServed?: (context: RouteContext) => boolean
}

interface RouteSpec<Path extends string, Query extends z.ZodObject, Body extends z.ZodType>
  extends RouteBase {
  readonly path: Path
  readonly query?: Query
  readonly body?: Body
  /** Returns an object for JSON with status 200, a `Reply`, or nothing after it started the response itself. */
  readonly handle: Handler<RouteExchange<Path, Query, Body>>
  /** Responds to HEAD. Without it the response to GET is sent without its body; `false` leaves HEAD out. */
  readonly head?: Handler<RouteExchange<Path, Query, Body>> | false
}

export interface Route extends RouteBase {
  readonly path: string
  readonly handle: Handler<Exchange>
  readonly head?: Handler<Exchange> | false
}

export function defineRoute<
  const Path extends string,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
>(spec: RouteSpec<Path, Query, Body>): Route {
  // The router fills params by the path, and both parsers read the schemas of this very declaration.
  return spec as unknown as Route
}
