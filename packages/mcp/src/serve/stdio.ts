/** The MCP server over standard input and output, both eras: one connection, for the one who started it. */
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createLineReader } from '../line-reader.ts'
import { createServerFactory } from './create-server.ts'
import type { ServeContext, ServeOptions } from './serve-context.ts'

const MAX_MESSAGE_BYTES = 10 * 1024 * 1024

interface StdioServeOptions extends ServeOptions {
  readonly input: Readable
  readonly output: Writable
  /** Ends the connection; calls in progress continue. */
  readonly until: Promise<void>
}

/** Resolves when the input has ended, sent a message that is too large or too deep, or `until` is settled. */
export async function serveOverStdio({ input, output, until, ...options }: StdioServeOptions): Promise<void> {
  const serving: ServeContext = { ...options, isClosing: false }
  const messages = new PassThrough()
  const lines = createLineReader(MAX_MESSAGE_BYTES)
  const ended = new Promise<void>(resolve => {
    input.on('data', (chunk: Buffer) => {
      try {
        for (const line of lines.add(chunk)) messages.write(`${line}\n`)
      } catch {
        resolve()
      }
    })
    input.once('end', resolve).once('error', () => resolve())
  })
  const transport = new StdioServerTransport(messages, output, { maxBufferSize: 2 * MAX_MESSAGE_BYTES })
  const handle = serveStdio(createServerFactory(serving), { transport })
  await Promise.race([ended, until])
  serving.isClosing = true
  input.pause()
  await handle.close()
}
