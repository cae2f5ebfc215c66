/** Program: speaks just enough of the older protocol to misbehave in the way its argument names. */
import { createInterface } from 'node:readline'

const [way] = process.argv.slice(2)
interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly protocolVersion?: string
    readonly _meta?: { readonly progressToken?: unknown }
  }
}

const say = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
const schema = { type: 'object' }
const tool = (name: string) => ({ name, inputSchema: schema })
let page = 0
let lists = 0

/** Deeper than any stack. */
const deep = (): string => `${'['.repeat(200_000)}${']'.repeat(200_000)}`

/** An answer that is written as it is. */
class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
const raw = (text: string): Raw => new Raw(text)

let asked = 0
function ask(): void {
  const requestedSchema = { type: 'object', properties: { n: { type: 'number' } } }
  say({
    id: `q${++asked}`,
    method: 'elicitation/create',
    params: { message: `again ${asked}`, requestedSchema },
  })
}

/** The answer to a list; undefined for silence. */
function list(): object | undefined {
  switch (way) {
    case 'giant-list':
      return { tools: Array.from({ length: 5_000 }, (_, i) => tool(`t${i}`)) }
    case 'circle':
      return { tools: [tool(`t${++page}`)], nextCursor: 'again' }
    case 'endless-pages':
      return { tools: [tool(`t${++page}`)], nextCursor: `page ${page}` }
    case 'wrong-types':
      return { tools: WRONG }
    case 'no-list':
      return { tools: 'none' }
    case 'schema-breach': {
      const outputSchema = { type: 'object', properties: { n: { type: 'number' } } }
      return { tools: [{ ...tool('call'), outputSchema }] }
    }
    case 'silent-list':
      return undefined
    case 'deep-schema':
      return raw(
        `{"tools":[${JSON.stringify(tool('good'))},{"name":"deep","inputSchema":{"type":"object","a":${deep()}}}]}`,
      )
    case 'storm':
      lists++
      return { tools: [tool('call')] }
    default:
      return { tools: [tool('call')] }
  }
}

const WRONG: readonly unknown[] = [
  tool('good'),
  null,
  5,
  'text',
  [],
  {},
  { name: 7, inputSchema: schema },
  { name: 'no-schema' },
  { name: 'array', inputSchema: [] },
  { name: 'string-schema', inputSchema: { type: 'string' } },
  { name: 'odd', inputSchema: schema, description: 5, annotations: 'x', title: [], outputSchema: 1 },
  tool('good'),
  { name: 'huge', inputSchema: schema, description: 'x'.repeat(200_000) },
]

/** The answer to a call; undefined for silence. */
function call(progressToken: unknown): object | undefined {
  switch (way) {
    case 'wrong-result':
      return { content: 'a text' }
    case 'odd-content':
      return { content: [{ type: 'image', mimeType: 'image/png', data: '<not base64>' }] }
    case 'unknown-content':
      return {
        content: [
          { type: 'text', text: 'before', annotations: { priority: 7 } },
          { type: 'video', url: 'https://a.example/film' },
          null,
          { type: 'text', text: 'after' },
        ],
      }
    case 'schema-breach':
      return { content: [{ type: 'text', text: 'kept' }], structuredContent: { n: 'one' } }
    case 'endless-line':
      writeForEver()
      return undefined
    case 'deep-result':
      return raw(`{"content":[],"structuredContent":{"a":${deep()}}}`)
    case 'wide-result':
      return raw(`{"content":[],"structuredContent":{"a":[${'1,'.repeat(30_000)}1]}}`)
    case 'wide-meta':
      return raw(`{"content":[],"_meta":{${'"k":1,'.repeat(30_000)}"k":1}}`)
    case 'many-parts':
      return {
        content: Array.from({ length: 1_200 }, (_, n) => ({
          type: n === 1 ? 'video' : 'text',
          text: `${n}`,
        })),
      }
    case 'asks-for-ever':
      ask()
      return undefined
    case 'odd-question':
      say({
        id: 'q1',
        method: 'elicitation/create',
        params: { mode: 'url', message: 'x', url: 'javascript:1', elicitationId: 'e1' },
      })
      return undefined
    case 'storm':
      for (let n = 0; n < 50; n++) say({ method: 'notifications/tools/list_changed' })
      return { content: [{ type: 'text', text: `listed ${lists} times` }] }
    case 'progress-flood':
      for (let progress = 1; progress <= 20_000; progress++)
        say({ method: 'notifications/progress', params: { progressToken, progress } })
      return { content: [{ type: 'text', text: 'flooded' }] }
    default:
      return undefined
  }
}

function writeForEver(): void {
  while (process.stdout.write('x'.repeat(1_000_000)));
  process.stdout.once('drain', writeForEver)
}

function answer({ method, params }: Message): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: way === 'storm' ? { listChanged: true } : {} },
        serverInfo: { name: 'hostile', version: '1' },
      }
    case 'tools/list':
      return list()
    case 'tools/call':
      return call(params?._meta?.progressToken)
    default:
      return undefined
  }
}

let callId: number | string | undefined
const KNOWN = ['initialize', 'tools/list', 'tools/call']

createInterface({ input: process.stdin }).on('line', line => {
  const message = JSON.parse(line) as Message
  const { id, method = '' } = message
  if (way === 'noise') process.stdout.write('this is not JSON\n')
  if (way === 'asks-for-ever' && method === '') return ask()
  if (way === 'odd-question' && method === '')
    return say({ id: callId, result: { content: [{ type: 'text', text: JSON.stringify(message) }] } })
  if (method === 'tools/call') callId = id
  if (id === undefined || way === 'silent') return
  if (!KNOWN.includes(method) || (way === 'error' && method === 'tools/call'))
    return say({ id, error: { code: -32601, message: 'the server says no' } })
  const result = answer(message)
  if (result instanceof Raw)
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result.text}}\n`)
  else if (result) say({ id, result })
})
