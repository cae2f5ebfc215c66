/**
 * The body of a request in pieces. Definitions of tools are the same bytes in request after request: they are made once,
 * and all requests in flight share them. So are the earlier messages of a growing history (message-blocks.ts).
 */
import { isObject, type JsonObject } from '@toolwire/core'
import { toMessagePieces, type Write } from './message-blocks.ts'

/** The pieces in order. Immutable. */
export type RequestBody = readonly (string | Buffer)[]

/** As `write(body)`, in pieces: `tools` and messages may be shared bytes. */
export async function toRequestBody(
  body: { readonly tools?: readonly object[]; readonly messages?: readonly object[] },
  write: Write,
): Promise<RequestBody> {
  const pieces = createPieces()
  let separator = '{'
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue
    pieces.add(`${separator}${JSON.stringify(name)}:`)
    separator = ','
    await addField(pieces, name, value, write)
  }
  pieces.add(separator === '{' ? '{}' : '}')
  return pieces.all()
}

async function addField(pieces: Pieces, name: string, value: unknown, write: Write): Promise<void> {
  const isList = Array.isArray(value) && value.length > 0
  if (isList && name === 'tools') {
    pieces.add('[')
    pieces.add(listBytes(value.map(tool => toolBytes(tool as JsonObject, write))))
    pieces.add(']')
  } else if (isList && HISTORY.has(name) && value.every(isObject)) {
    const { blocks, rest } = await toMessagePieces(value, write)
    pieces.add('[')
    for (const block of blocks) pieces.add(block)
    for (const [n, text] of rest.entries()) pieces.add(n === 0 ? text : `,${text}`)
    pieces.add(']')
  } else pieces.add(write(value))
}

type Pieces = ReturnType<typeof createPieces>

/** Characters of a text, unless one message has more. */
const MAX_TEXT = 100_000

/** Joins short texts. */
function createPieces() {
  const pieces: (string | Buffer)[] = []
  let text = ''
  function flush(): void {
    if (text !== '') pieces.push(text)
    text = ''
  }
  return {
    add(more: string | Buffer): void {
      if (typeof more !== 'string' || text.length + more.length > MAX_TEXT) flush()
      if (typeof more === 'string') text += more
      else pieces.push(more)
    },
    all(): RequestBody {
      flush()
      return pieces
    },
  }
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
