/** The stream readers of the real `ai` packages: each checks every chunk by its own schema and builds the message. */
import type { Rec } from '@toolwire/core'
import * as ai7 from 'ai'
import * as ai5 from 'ai5'
import * as ai6 from 'ai6'
import { type AiSdkDialect, type AiSdkOptions, aiSdkWire } from '../../src/index.ts'
import { SESSION } from '../resume-property.ts'

export const DIALECTS: readonly AiSdkDialect[] = [5, 6, 7]

export interface ReadMessage {
  readonly id: string
  readonly parts: readonly { readonly type: string; readonly [field: string]: unknown }[]
  readonly metadata?: unknown
}

interface Reader {
  readonly parseJsonEventStream: (options: {
    readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>
    readonly schema: never
  }) => ReadableStream<{ readonly success: boolean; readonly value?: unknown; readonly error?: Error }>
  readonly uiMessageChunkSchema: unknown
  readonly readUIMessageStream: (options: {
    readonly message?: never
    readonly stream: never
    readonly onError: (error: unknown) => void
  }) => AsyncIterable<unknown>
}

const READERS: Readonly<Record<AiSdkDialect, Reader>> = {
  5: ai5 as unknown as Reader,
  6: ai6 as unknown as Reader,
  7: ai7 as unknown as Reader,
}

const DONE = 'data: [DONE]\n\n'
const UPDATE = 'data: {"type":"message-metadata","messageMetadata":{}}\n\n'

/** The frames of the log as they are sent. */
export function streamOf(dialect: AiSdkDialect, log: readonly Rec[], options: AiSdkOptions = {}): string {
  const wire = aiSdkWire(dialect)
  const step = wire.open({ session_id: SESSION, options: { ...options } })
  return log.flatMap(rec => step(rec).map(frame => `data: ${frame.data}\n\n`)).join('') + (wire.end ?? '')
}

/** The message that the real reader builds, on top of the one that the page has; errors are the reader's. */
export async function readMessage(
  dialect: AiSdkDialect,
  sse: string,
  held?: ReadMessage,
): Promise<{ readonly message: ReadMessage | undefined; readonly errors: readonly string[] }> {
  const reader = READERS[dialect]
  const errors: string[] = []
  // The reader shows a step with its first part: an empty update shows a step without any.
  const bytes = new Blob([sse.replace(DONE, `${UPDATE}${DONE}`)]).stream()
  const chunks = reader
    .parseJsonEventStream({ stream: bytes, schema: reader.uiMessageChunkSchema as never })
    .pipeThrough(
      new TransformStream({
        transform(parsed, controller) {
          if (parsed.success) controller.enqueue(parsed.value)
          else errors.push(`rejected: ${String(parsed.error)}`)
        },
      }),
    )
  let message: ReadMessage | undefined = held
  const stream = reader.readUIMessageStream({
    ...(held ? { message: structuredClone(held) as never } : {}),
    stream: chunks as never,
    onError: error => void errors.push(String(error)),
  })
  for await (const read of stream) message = read as ReadMessage
  return { message: message && (JSON.parse(JSON.stringify(message)) as ReadMessage), errors }
}
