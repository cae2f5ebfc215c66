/** Program: speaks just enough of the older protocol to misbehave in the way its argument names. */
import { createInterface } from 'node:readline'

const [way] = process.argv.slice(2)
interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly cursor?: string; readonly protocolVersion?: string }
}

const say = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const schema = { type: 'object' }
const tool = (name: string) => ({ name, inputSchema: schema })
let page = 0

function list(id: number | string, cursor: string | undefined): void {
  switch (way) {
    case 'giant-list':
      return say({ id, result: { tools: Array.from({ length: 5_000 }, (_, i) => tool(`t${i}`)) } })
    case 'circle':
      return say({ id, result: { tools: [tool(`t${++page}`)], nextCursor: 'again' } })
    case 'endless-pages':
      return say({ id, result: { tools: [tool(`t${++page}`)], nextCursor: `page ${page}` } })
    case 'wrong-types':
      return say({
        id,
        result: {
          tools: [
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
            {
              name: 'odd',
              inputSchema: schema,
              description: 5,
              annotations: 'x',
              title: [],
              outputSchema: 1,
            },
            tool('good'),
            { name: 'huge', inputSchema: schema, description: 'x'.repeat(200_000) },
          ],
        },
      })
    case 'no-list':
      return say({ id, result: { tools: 'none' } })
    case 'silent-list':
      return undefined
    default:
      return say({ id, result: { tools: cursor === undefined ? [tool('call')] : [] } })
  }
}

function call(id: number | string): void {
  switch (way) {
    case 'wrong-result':
      return say({ id, result: { content: 'a text' } })
    case 'odd-content':
      return say({
        id,
        result: { content: [{ type: 'image', mimeType: 'image/png', data: '<not base64>' }] },
      })
    case 'schema-breach':
      return say({ id, result: { content: [], structuredContent: { n: 'one' } } })
    case 'endless-line': {
      const more = (): void => {
        while (process.stdout.write('x'.repeat(1_000_000)));
        process.stdout.once('drain', more)
      }
      return more()
    }
    case 'progress-flood': {
      for (let progress = 1; progress <= 20_000; progress++)
        say({ method: 'notifications/progress', params: { progressToken: id, progress } })
      return say({ id, result: { content: [{ type: 'text', text: 'flooded' }] } })
    }
    case 'error':
      return say({ id, error: { code: -32000, message: 'the server says no' } })
    default:
      return undefined
  }
}

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line) as Message
  if (way === 'silent') return
  if (way === 'noise') process.stdout.write('this is not JSON\n')
  if (id === undefined) return
  switch (method) {
    case 'initialize':
      return say({
        id,
        result: {
          protocolVersion: params?.protocolVersion ?? '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'hostile', version: '1' },
        },
      })
    case 'tools/list':
      return list(id, params?.cursor)
    case 'tools/call':
      return call(id)
    default:
      return say({ id, error: { code: -32601, message: 'Method not found' } })
  }
})
