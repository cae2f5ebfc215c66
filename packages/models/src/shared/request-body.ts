/**
 * The body of a request in pieces. Definitions of tools are the same bytes in request after request: they are made once,
 * and all requests in flight share them. So are the earlier messages of a growing history (message-blocks.ts).
 */
import { isObject, type JsonObject } from '@toolwire/core'
import { toMessagePieces, type Write } from './message-blocks.ts'

/** The pieces in order. Immutable. */
export type RequestBody = readonly (string | Buffer)[]

/** As `write(body)`, in pieces: `tools` and messages may be shared bytes. */
export function toRequestBody(
  body: { readonly tools?: readonly object[]; readonly messages?: readonly object[] },
  write: Write,
): RequestBody {
  const pieces: (string | Buffer)[] = []
  let text = '{'
  let separator = ''
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue
    const { shared, rest } = toFieldPieces(name, value, write)
    text += `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (shared.length > 0) pieces.push(`${text}[`, ...shared)
    text = shared.length > 0 ? rest : text + rest
  }
  return [...pieces, `${text}}`]
}

/** A value as JSON. With `shared` the value is a list: these bytes follow its bracket, and `rest` follows them. */
function toFieldPieces(
  name: string,
  value: unknown,
  write: Write,
): { readonly shared: readonly Buffer[]; readonly rest: string } {
  if (!Array.isArray(value) || value.length === 0) return { shared: [], rest: write(value) }
  if (name === 'tools')
    return { shared: [listBytes(value.map(tool => toolBytes(tool as JsonObject, write)))], rest: ']' }
  if (!HISTORY.has(name) || !value.every(isObject)) return { shared: [], rest: write(value) }
  const { blocks, rest } = toMessagePieces(value, write)
  return { shared: blocks, rest: blocks.length > 0 ? `${rest}]` : `[${rest}]` }
}

/** Lists whose items are the same objects in each request of a growing history (stable-messages.ts). */
const HISTORY: ReadonlySet<string> = new Set(['messages', 'input'])

/** All of it as one text. */
export const bodyText = (body: RequestBody): string => body.map(String).join('')

export const bodyLength = (body: RequestBody): number =>
  body.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)

interface SerializedTool {
  readonly tool: JsonObject
  readonly bytes: Buffer
}

/** Keyed by their schemas: definitions are recreated for each request, the schemas in them are not. */
const written = new WeakMap<object, SerializedTool>()

function toolBytes(tool: JsonObject, write: Write): Buffer {
  const schema = schemaOf(tool)
  const known = schema && written.get(schema)
  if (known && isSame(known.tool, tool)) return known.bytes
  const bytes = Buffer.from(write(tool))
  if (schema) written.set(schema, { tool, bytes })
  return bytes
}

const schemaOf = ({ input_schema, parameters, function: named }: JsonObject): object | undefined => {
  const schema = isObject(named) ? named['parameters'] : (input_schema ?? parameters)
  return isObject(schema) ? schema : undefined
}

/** True if both serialize equally; schemas are compared by identity, since they never change. */
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

interface SerializedTools {
  readonly parts: readonly Buffer[]
  readonly bytes: Buffer
}

const COMMA = Buffer.from(',')
/** The latest list that begins with this tool. */
const lists = new WeakMap<Buffer, SerializedTools>()

function listBytes(parts: readonly Buffer[]): Buffer {
  const [first] = parts
  const known = first && lists.get(first)
  if (known?.parts.length === parts.length && parts.every((part, n) => part === known.parts[n]))
    return known.bytes
  const bytes = Buffer.concat(parts.flatMap((part, n) => (n === 0 ? [part] : [COMMA, part])))
  if (first) lists.set(first, { parts, bytes })
  return bytes
}
