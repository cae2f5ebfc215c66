/**
 * Sessions as AI SDK chats. The server keeps the conversation: only the chat's newest message or answers are sent,
 * and the log gives the outcome.
 */
import type { ToolSpec } from '@toolwire/core'
import type { Client } from '../client.ts'
import { type UiChunk, UiChunks } from './ui-chunks.ts'

export interface ChatTransportOptions {
  /** The session of a chat; the chat's id is the session's by default. */
  readonly sessionOf?: (chatId: string) => string | Promise<string>
  /** Tools that the page runs: their calls come to `onToolCall`, and `addToolOutput` answers them. */
  readonly tools?: readonly ToolSpec[]
}

/** The fields of a chat message that are read. */
export interface UiMessage {
  readonly role: string
  readonly parts: readonly { readonly type: string }[]
}

interface ToolPart {
  readonly type: string
  readonly text?: string
  readonly toolCallId?: string
  readonly state?: string
  readonly output?: unknown
  readonly errorText?: string
  readonly providerExecuted?: boolean
  readonly approval?: { readonly id: string; readonly approved?: boolean; readonly reason?: string }
}

interface SendMessages {
  readonly chatId: string
  readonly messages: readonly UiMessage[]
  readonly abortSignal: AbortSignal | undefined
}

export interface ChatTransport {
  /** A resumed response is replayed from its start. */
  readonly resumeStreamIsReplay: true
  /** Sends the newest message, or the newest answers to calls. Stopping the chat stops the run. Throws ToolwireError. */
  readonly sendMessages: (options: SendMessages) => Promise<ReadableStream<UiChunk>>
  /** The answer that is being written; null when nothing runs. */
  readonly reconnectToStream: (options: {
    readonly chatId: string
  }) => Promise<ReadableStream<UiChunk> | null>
}

export function createChatTransport(client: Client, options: ChatTransportOptions = {}): ChatTransport {
  const sessionOf = async (chatId: string) => (await options.sessionOf?.(chatId)) ?? chatId
  return {
    resumeStreamIsReplay: true,
    async sendMessages({ chatId, messages, abortSignal }) {
      const session = await sessionOf(chatId)
      const after = await headOf(client, session)
      const last = messages.at(-1)
      const run =
        last?.role === 'assistant'
          ? await giveAnswers(client, session, last.parts)
          : (await client.send(session, textOf(last), options.tools ? { tools: options.tools } : {})).run_id
      abortSignal?.addEventListener('abort', () => void client.sessions.cancel(session).catch(() => {}))
      return toStream(client, session, { after, run })
    },
    async reconnectToStream({ chatId }) {
      const session = await sessionOf(chatId)
      const { status } = await client.sessions.get(session)
      if (status !== 'running') return null
      const head = await headOf(client, session)
      return toStream(client, session, { after: 0, current: head })
    },
  }
}

const textOf = (message: UiMessage | undefined): string =>
  (message?.parts ?? []).map(part => (part.type === 'text' ? ((part as ToolPart).text ?? '') : '')).join('')

/** The current end of the log. */
async function headOf(client: Client, session: string): Promise<number> {
  let head: number | undefined
  let last = 0
  const onConnection: NonNullable<Parameters<Client['events']>[1]>['onConnection'] = change => {
    if (change.type === 'open') head = change.head
  }
  for await (const { seq } of client.events(session, { follow: false, onConnection })) {
    last = seq
    // From another origin the header may be unreadable: then everything is read.
    if (head !== undefined) break
  }
  return head ?? last
}

/**
 * Sends what the chat knows and the session may lack: outputs of page tools, and decisions. Each may come twice.
 */
async function giveAnswers(client: Client, session: string, parts: UiMessage['parts']): Promise<undefined> {
  const { pending } = await client.sessions.get(session)
  const waits = new Set(pending.flatMap(item => [item.id, item.call_id]))
  const tools = parts as readonly ToolPart[]
  for (const { state, approval } of tools) {
    if (state !== 'approval-responded' || !approval || !waits.has(approval.id)) continue
    if (approval.approved) await client.approve(approval.id)
    else await client.deny(approval.id, approval.reason)
  }
  const outputs = tools.flatMap(({ toolCallId = '', state, output, errorText, providerExecuted }) => {
    if (providerExecuted || !waits.has(toolCallId)) return []
    if (state === 'output-available') return [{ call_id: toolCallId, output }]
    return state === 'output-error' ? [{ call_id: toolCallId, output: errorText, is_error: true }] : []
  })
  if (outputs.length > 0) await client.sessions.toolOutputs(session, outputs)
}

interface RunRange {
  readonly after: number
  /** The run to stream; the first one that starts there if absent. */
  readonly run?: string | undefined
  /** Streams the run that continues at this record. */
  readonly current?: number
  readonly signal: AbortSignal
}

const ENDS: ReadonlySet<string> = new Set(['run.completed', 'run.paused', 'run.failed', 'run.cancelled'])

/** The chunks of one run, until it ends or pauses. */
async function* runChunks(client: Client, session: string, stretch: RunRange): AsyncGenerator<UiChunk> {
  const { after, current = 0, signal } = stretch
  let run = stretch.run
  let chunks = new UiChunks()
  let held: UiChunk[] = []
  for await (const { seq, ev } of client.events(session, { after, signal })) {
    if (ev.type === 'run.started' && (seq <= current || run === undefined)) {
      run = ev.run_id
      chunks = new UiChunks()
      held = []
    }
    if (run !== undefined && ev.run_id === run) held.push(...chunks.next(ev))
    // Until then a later run may turn out to be the one.
    if (seq < current) continue
    yield* held.splice(0)
    if (ev.run_id === run && ENDS.has(ev.type)) return
  }
}

/** Cancelling the stream ends the reading. */
function toStream(
  client: Client,
  session: string,
  stretch: Omit<RunRange, 'signal'>,
): ReadableStream<UiChunk> {
  const left = new AbortController()
  const chunks = runChunks(client, session, { ...stretch, signal: left.signal })
  return new ReadableStream<UiChunk>({
    async pull(controller) {
      const { value, done } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => left.abort(),
  })
}
