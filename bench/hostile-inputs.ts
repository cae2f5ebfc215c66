/** Inputs of strangers that once held the event loop, each as a request, a message of the model, or files in the workspace. */
import type { ModelPart } from '@toolwire/core'

interface Call {
  readonly name: string
  readonly input: unknown
}

export interface HostileInput {
  readonly name: string
  readonly files?: Readonly<Record<string, string>>
  /** Settings of the server. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Calls of the model's first message; it says a word afterwards. */
  readonly calls?: readonly Call[]
  /** The model's whole text, where it calls nothing. */
  readonly text?: string
  /** Sent in place of a chat message: path and body. */
  readonly post?: { readonly path: string; readonly body: string }
  /** The user's message. */
  readonly message?: string
}

/** Repeats `piece` to about `size` characters. */
const fill = (piece: string, size: number): string =>
  piece.repeat(Math.max(1, Math.floor(size / piece.length)))
const LONE = '\ud800'

const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n')

const notebook = (source: string, output: string): string =>
  JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [
      {
        cell_type: 'code',
        id: 'a',
        metadata: {},
        execution_count: 1,
        source: [source],
        outputs: [{ output_type: 'stream', name: 'stdout', text: [output] }],
      },
    ],
  })

const chat = (messages: readonly object[], more: object = {}): HostileInput['post'] => ({
  path: '/v1/chat/completions',
  body: JSON.stringify({ model: 'claude-bench', messages, ...more }),
})

const toolResult = (content: string): HostileInput['post'] =>
  chat(
    [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content },
    ],
    { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] },
  )

/** `scale` 1 is the full size. */
export function hostileInputs(scale: number): readonly HostileInput[] {
  const n: Scale = full => Math.max(1, Math.round(full * scale))
  const ordinary = { name: 'an ordinary message', message: 'hello' }
  return [ordinary, ...ofModels(n), ...ofClients(n), ...ofFiles(n), ...ofDocuments(n), ...ofMcpServers(n)]
}

type Scale = (full: number) => number
const MB = 1024 * 1024

function ofModels(n: Scale): readonly HostileInput[] {
  return [
    { name: '1.5 million lone surrogates in the model’s text', text: fill(LONE, n(1_500_000)) },
    { name: '8 MB of text of the model', text: fill('a"\n<>&', n(8 * MB)) },
    { name: '3.9 million quotes of the model', text: fill('"', n(3_900_000)) },
    {
      name: '3.9 MB of tool arguments',
      calls: [{ name: 'Echo', input: { content: fill('ab"\n<>&', n(3_200_000)) } }],
    },
    { name: '200,000 lone surrogates of the model', text: fill(LONE, n(200_000)) },
    {
      name: '8 MB of tool arguments',
      calls: [{ name: 'Echo', input: { content: fill('a"\n<>&', n(8 * MB)) } }],
    },
    {
      name: '1 MB of tool arguments in many values',
      calls: [{ name: 'Echo', input: { content: 'x', more: Array.from({ length: n(300_000) }, () => 1) } }],
    },
    {
      name: '1,000 tool calls in one message',
      calls: Array.from({ length: n(1000) }, (_, at) => ({ name: 'Echo', input: { content: `${at}` } })),
    },
  ]
}

function ofClients(n: Scale): readonly HostileInput[] {
  return [
    { name: '1.5 million lone surrogates in a message', message: fill(LONE, n(1_500_000)) },
    { name: '1.5 million lone surrogates in a tool result', post: toolResult(fill(LONE, n(1_500_000))) },
    { name: 'a message of 30 MB', message: fill('lorem ipsum ', n(30 * MB)) },
    { name: 'a message of 5 million control characters', message: fill('\u0001', n(5_000_000)) },
    {
      name: '10,000 short messages',
      post: chat(
        Array.from({ length: n(10_000) }, (_, at) => ({
          role: at % 2 ? 'assistant' : 'user',
          content: 'hi',
        })).concat({ role: 'user', content: 'hi' }),
      ),
    },
    {
      name: 'a conversation of 30 MB in ten messages',
      post: chat(
        Array.from({ length: 11 }, (_, at) => ({
          role: at % 2 ? 'assistant' : 'user',
          content: fill('a"\n<>&', n(2.1 * MB)),
        })),
      ),
    },
    {
      name: 'a conversation of 30 MB in 4,000 messages',
      post: chat(
        Array.from({ length: 3999 }, (_, at) => ({
          role: at % 2 ? 'assistant' : 'user',
          content: fill('a"\n<>&', n(6000)),
        })),
      ),
    },
    {
      name: 'a conversation of 95,000 parts',
      post: chat(
        Array.from({ length: 999 }, (_, at) => ({
          role: at % 2 ? 'assistant' : 'user',
          content: at % 2 ? 'x' : Array.from({ length: n(63) }, () => ({ type: 'text', text: 'x' })),
        })),
      ),
    },
    {
      name: 'an image of 25 MB',
      post: chat([
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            ...Array.from({ length: 7 }, () => ({
              type: 'image_url',
              image_url: { url: `data:image/png;base64,iVBORw0KGgo${fill('AAAA', n(3.5 * MB))}` },
            })),
          ],
        },
      ]),
    },
    {
      name: 'a tool result of 4 million quotes',
      post: toolResult(fill('"', n(4_000_000))),
    },
    {
      name: '4,000 tool definitions',
      post: chat([{ role: 'user', content: 'hi' }], {
        tools: Array.from({ length: n(4000) }, (_, at) => ({
          type: 'function',
          function: {
            name: `f${at}`,
            description: 'x'.repeat(2000),
            parameters: { type: 'object', properties: { a: { type: 'string' } } },
          },
        })),
      }),
    },
    {
      name: '1 million metadata keys',
      post: {
        path: '/api/sessions',
        body: `{"metadata":{${Array.from({ length: n(1_000_000) }, (_, at) => `"k${at}":"v"`).join()}}}`,
      },
    },
    { name: 'a body of 30 MB of brackets', post: { path: '/api/sessions', body: fill('[', n(30 * MB)) } },
    {
      name: 'a body of 30 MB of escapes',
      post: { path: '/api/sessions', body: `{"title":"${fill('\\u0041', n(30 * MB))}"}` },
    },
  ]
}

function ofFiles(n: Scale): readonly HostileInput[] {
  return [
    {
      name: '`cat` of a line of 2 MB',
      files: { 'line.txt': fill('word ', n(2 * MB)) },
      calls: [{ name: 'Bash', input: { command: 'cat line.txt' } }],
    },
    {
      name: '20 MB of output',
      calls: [{ name: 'Bash', input: { command: `head -c ${n(20 * MB)} /dev/zero | tr '\\0' 'a'` } }],
    },
    {
      name: '20 MB of output in short lines',
      calls: [{ name: 'Bash', input: { command: `yes | head -c ${n(20 * MB)}` } }],
    },
    {
      name: 'a 2 MB line that is read',
      files: { 'line.txt': fill('word ', n(2 * MB)) },
      calls: [{ name: 'Read', input: { file_path: 'line.txt' } }],
    },
    {
      name: 'a notebook with a line of 1 MB',
      files: { 'a.ipynb': notebook(fill('x', n(MB)), fill('\u001b[', n(MB))) },
      calls: [{ name: 'NotebookRead', input: { notebook_path: 'a.ipynb' } }],
    },
    {
      name: 'an .editorconfig of 500 kB of blanks',
      files: { '.editorconfig': `[*${fill(' ', n(500_000))}x]\n${fill(' ', n(500_000))}=` },
      calls: [{ name: 'Write', input: { file_path: 'new.txt', content: 'x\n' } }],
    },
    {
      name: 'an .editorconfig of 20,000 sections',
      files: { '.editorconfig': lines(n(20_000), at => `[*${'{a,b}'.repeat(5)}${at}]\nindent_size=2`) },
      calls: [{ name: 'Write', input: { file_path: 'new.txt', content: 'x\n' } }],
    },
    {
      name: 'a file of 100,000 lines written again',
      files: { 'big.txt': lines(n(100_000), at => `a${at}`) },
      calls: [
        { name: 'Read', input: { file_path: 'big.txt', limit: 1 } },
        { name: 'Write', input: { file_path: 'big.txt', content: lines(n(100_000), at => `b${at}`) } },
      ],
    },
    {
      name: 'an unmatched Edit in 1 MB',
      files: { 'edit.txt': lines(n(100_000), () => 'aaaaaaaaab') },
      calls: [
        { name: 'Read', input: { file_path: 'edit.txt', limit: 1 } },
        {
          name: 'Edit',
          input: { file_path: 'edit.txt', old_string: lines(n(5000), () => 'aaaaaaaaac'), new_string: 'x' },
        },
      ],
    },
    {
      name: 'a search in a line of 2 MB',
      files: { 'line.txt': fill('word ', n(2 * MB)) },
      calls: [{ name: 'Grep', input: { pattern: 'word', output_mode: 'content' } }],
    },
    {
      name: 'a glob with many stars',
      files: { [`${'a'.repeat(200)}.txt`]: '' },
      calls: [{ name: 'Glob', input: { pattern: `${'*a'.repeat(20)}*b` } }],
    },
  ]
}

/** Pages of a PDF, each with the same content stream. */
function pdf(pages: number, content: string): string {
  const kids = Array.from({ length: pages }, (_, at) => `${at + 4} 0 R`).join(' ')
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${pages}/Kids[${kids}]>>`,
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    ...Array.from({ length: pages }, () => '<</Type/Page/Parent 2 0 R/Contents 3 0 R/MediaBox[0 0 9 9]>>'),
  ]
  return `%PDF-1.4\n${objects.map((body, at) => `${at + 1} 0 obj${body}endobj`).join('\n')}\ntrailer<</Root 1 0 R>>`
}

function ofDocuments(n: Scale): readonly HostileInput[] {
  const read = (name: string, text: string, file_path: string, more: object = {}): HostileInput => ({
    name,
    files: { [file_path]: text },
    calls: [{ name: 'Read', input: { file_path, ...more } }],
  })
  const cell = { cell_type: 'markdown', metadata: {}, source: 'x' }
  const cells = Array.from({ length: n(50_000) }, (_, at) => ({ ...cell, id: `c${at}` }))
  const book = JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells })
  return [
    read('a PDF of 1 MB of operators', pdf(1, fill('[(a)] TJ BT ET q Q ', n(MB))), 'a.pdf'),
    read('a PDF of 2,000 pages', pdf(n(2000), 'BT (a) Tj ET'), 'a.pdf', { pages: '1-20' }),
    read('a PDF of 1 MB of brackets', pdf(1, fill('[', n(MB))), 'a.pdf'),
    read('64 kB that only begin as a PDF', `%PDF-1.4\n${fill('1 0 obj<<', n(65_536))}`, 'a.pdf'),
    read('a notebook of 50,000 cells', book, 'a.ipynb'),
    {
      name: 'a cell of a notebook of 50,000 that is replaced',
      files: { 'a.ipynb': book },
      calls: [
        { name: 'Read', input: { file_path: 'a.ipynb' } },
        { name: 'NotebookEdit', input: { notebook_path: 'a.ipynb', cell_id: 'c7', new_source: 'y' } },
      ],
    },
    {
      name: 'a search over 5,000 files and 500,000 lines',
      files: Object.fromEntries(
        Array.from({ length: n(5000) }, (_, at) => [`d${at % 50}/f${at}.txt`, 'word\n'.repeat(100)]),
      ),
      calls: [{ name: 'Grep', input: { pattern: 'o', output_mode: 'content', '-n': true, '-C': 3 } }],
    },
    {
      name: 'a pattern over several lines of 2 MB',
      files: { 'line.txt': lines(n(400_000), () => 'aab') },
      calls: [{ name: 'Grep', input: { pattern: '(a|b)*c', multiline: true, output_mode: 'content' } }],
    },
    {
      name: 'an .ignore of 20,000 rules',
      files: { '.ignore': lines(n(20_000), at => `**/a*b*c*${at}/**`), 'aaaabbbbcccc.txt': 'word' },
      calls: [
        { name: 'Glob', input: { pattern: '**/*' } },
        { name: 'LS', input: { path: '.' } },
      ],
    },
  ]
}

/** A server with one tool, whose result is the text that the expression gives. */
const mcpServer = (result: string): string => `
import { createInterface } from 'node:readline'
const say = (id, result) => process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + result + '}\\n')
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize')
    say(id, JSON.stringify({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'e', version: '1' } }))
  else if (method === 'tools/list') say(id, '{"tools":[{"name":"big","inputSchema":{"type":"object"}}]}')
  else if (method === 'tools/call') say(id, ${result})
  else if (id !== undefined) process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"error":{"code":-32601,"message":"no"}}\\n')
})
`

function ofMcpServers(n: Scale): readonly HostileInput[] {
  const from = (name: string, result: string): HostileInput => ({
    name: `an MCP result of ${name}`,
    files: { 'server.mjs': mcpServer(result) },
    config: { mcpServers: { evil: { command: 'node', args: ['work/server.mjs'] } } },
    calls: [{ name: 'mcp__evil__big', input: {} }],
  })
  const keys = (count: number): string =>
    `'{' + Array.from({ length: ${n(count)} }, (_, at) => '"k' + at + '":1').join() + '}'`
  const structured = (value: string): string => `'{"content":[],"structuredContent":' + ${value} + '}'`
  const block = (type: string, value: string): string =>
    `JSON.stringify({ content: [{ type: '${type}', mimeType: 'image/png', ${value} }] })`
  return [
    from('1 million keys', structured(keys(1_000_000))),
    from('29,000 keys', structured(keys(29_000))),
    from('29,000 keys of metadata', `'{"content":[],"_meta":' + ${keys(29_000)} + '}'`),
    from('100,000 parts', `'{"content":[' + '{"type":"x"},'.repeat(${n(100_000)}) + '{"type":"x"}]}'`),
    from('20,000 parts', `'{"content":[' + '{"type":"x"},'.repeat(${n(20_000)}) + '{"type":"x"}]}'`),
    from('10 MB of text', block('text', `text: 'a"<&'.repeat(${n(1_900_000)})`)),
    from('1.6 million lone surrogates', block('text', `text: '\\ud800'.repeat(${n(1_600_000)})`)),
    from('10 MB of an image', block('image', `data: 'AAAA'.repeat(${n(2_400_000)})`)),
    from('10 MB of blanks in an image', block('image', `data: 'A '.repeat(${n(4_900_000)})`)),
    from(
      '29,000 values, also as text',
      `(() => { const a = Array(${n(29_000)}).fill(1.5); return JSON.stringify({ content: [{ type: 'text', text: JSON.stringify({ a }) }], structuredContent: { a } }) })()`,
    ),
  ]
}

const USAGE = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
/** Characters in a delta: what a provider may put into one frame. */
const DELTA = 64 * 1024

/** The message of the model for `input`, or its last word once its calls have results. */
export function* partsOf({ calls, text = 'Done.' }: HostileInput, hasResults: boolean): Generator<ModelPart> {
  yield { type: 'start', provider_message_id: 'm', model: 'claude-bench' }
  const isCalling = calls !== undefined && !hasResults
  if (isCalling)
    for (const [index, { name, input }] of calls.entries()) {
      yield { type: 'block-start', index, kind: 'tool_use', tool: { id: `toolu_${index}`, name } }
      for (const piece of pieces(JSON.stringify(input)))
        yield { type: 'block-delta', index, input_text: piece }
      yield { type: 'block-end', index }
    }
  else {
    yield { type: 'block-start', index: 0, kind: 'text' }
    for (const piece of pieces(hasResults ? 'Done.' : text))
      yield { type: 'block-delta', index: 0, text: piece }
    yield { type: 'block-end', index: 0 }
  }
  const finish = isCalling ? 'tool_calls' : 'stop'
  yield { type: 'end', stop_reason: isCalling ? 'tool_use' : 'end_turn', finish, usage: USAGE }
}

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += DELTA) yield text.slice(at, at + DELTA)
}
