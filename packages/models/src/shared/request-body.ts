/**
 * The body of a request in pieces. Most of it are the definitions of tools, the same bytes in request after request:
 * they are made once, and all requests that are under way share them.
 */
import { isObject, type JsonObject } from './json.ts'

/** The pieces in order. Never changed by anybody. */
export type RequestBody = readonly (string | Buffer)[]

/** As `write(body)`, except that `tools` may be shared bytes. */
export function toRequestBody(
  body: { readonly tools?: readonly object[] },
  write: (value: unknown) => string,
): RequestBody {
  const { tools } = body
  if (!tools || tools.length === 0) return [write(body)]
  const fields = Object.entries(body)
  const place = fields.findIndex(([name]) => name === 'tools')
  const before = write(Object.fromEntries(fields.slice(0, place)))
  const after = write(Object.fromEntries(fields.slice(place + 1)))
  return [
    `${before.slice(0, -1)}${before === '{}' ? '' : ','}"tools":[`,
    listBytes(tools.map(tool => toolBytes(tool as JsonObject, write))),
    `]${after === '{}' ? '' : ','}${after.slice(1)}`,
  ]
}

/** All of it as one text. */
export const bodyText = (body: RequestBody): string => body.map(String).join('')

export const bodyLength = (body: RequestBody): number =>
  body.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)

interface Written {
  readonly tool: JsonObject
  readonly bytes: Buffer
}

/** By their schemas: definitions are made anew for each request, the schemas in them are not. */
const written = new WeakMap<object, Written>()

function toolBytes(tool: JsonObject, write: (value: unknown) => string): Buffer {
  const schema = schemaOf(tool)
  const known = schema && written.get(schema)
  if (known && isSame(known.tool, tool)) return known.bytes
  const bytes = Buffer.from(write(tool))
  if (schema) written.set(schema, { tool, bytes })
  return bytes
}

const schemaOf = ({ input_schema, function: named }: JsonObject): object | undefined => {
  const schema = isObject(named) ? named['parameters'] : input_schema
  return isObject(schema) ? schema : undefined
}

/** Whether they are written alike; schemas are compared by identity, since they never change. */
function isSame(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every(name => {
      const one = a[name]
      const other = b[name]
      return one === other || (name === 'function' && isObject(one) && isObject(other) && isSame(one, other))
    })
  )
}

interface Joined {
  readonly parts: readonly Buffer[]
  readonly bytes: Buffer
}

const COMMA = Buffer.from(',')
/** The latest list that begins with this tool. */
const lists = new WeakMap<Buffer, Joined>()

function listBytes(parts: readonly Buffer[]): Buffer {
  const [first] = parts
  const known = first && lists.get(first)
  if (known?.parts.length === parts.length && parts.every((part, n) => part === known.parts[n]))
    return known.bytes
  const bytes = Buffer.concat(parts.flatMap((part, n) => (n === 0 ? [part] : [COMMA, part])))
  if (first) lists.set(first, { parts, bytes })
  return bytes
}
