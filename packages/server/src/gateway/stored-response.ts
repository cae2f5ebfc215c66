/** Responses that the log holds: found by their ids, at any age, on any server of the group. */
import {
  AppError,
  createSelector,
  type EventOf,
  evolve,
  type HistoryMessage,
  initial,
  type Rec,
  readPages,
  type SessionRow,
} from '@toolwire/core'
import {
  type Frame,
  foldResponse,
  type LooseItem,
  type OutputItem,
  type ReceivedMessage,
  type ResponseObject,
  type ResponsePosition,
  type ResponseRecord,
  readItemId,
  readRecord,
  readResponseId,
  responsesWire,
  toHistoryItems,
} from '@toolwire/wire'
import type { GatewayContext, StartedAnswer } from './gateway-context.ts'
import { hasEnded, hasRunAfter } from './log-ahead.ts'

/** A run that answered a request of this wire. */
export interface StoredResponse {
  readonly session: string
  readonly seq: number
  readonly run_id: string
  readonly instructions: string | undefined
  readonly forms: ResponseRecord['forms']
}

/** Undefined for ids of nothing that the caller may see, and for responses that were not to be stored. */
export async function findResponse(context: GatewayContext, id: string): Promise<StoredResponse | undefined> {
  const position = readResponseId(id)
  return position && (await findAt(context, position.session_id, position.seq))
}

async function findAt(
  context: GatewayContext,
  session: string,
  seq: number,
): Promise<StoredResponse | undefined> {
  const row = await context.index.row(session)
  if (!row || isDeleted(row, seq)) return undefined
  const [rec] = await context.sessions.reader.read(session, seq - 1, 1)
  if (rec?.seq !== seq || rec.ev.type !== 'run.started' || rec.ev.agent_run_id !== undefined) return undefined
  const { store, echo, forms } = readRecord(rec.ev.options)
  const { run_id } = rec.ev
  if (run_id === undefined) return undefined
  const instructions = typeof echo['instructions'] === 'string' ? echo['instructions'] : undefined
  const found = { session, seq, run_id, instructions, forms }
  if (store) return found
  // In the background it can be read until it has ended.
  const isOpen = echo['background'] === true && !(await hasEnded(context, toStarted(found)))
  return isOpen ? found : undefined
}

/** Imported runs belong to another server. */
export const isUnstoredRun = ({ via, options, agent_run_id }: EventOf<'run.started'>): boolean =>
  agent_run_id !== undefined || via?.protocol === 'import' || !readRecord(options).store

/** Labels of a session say which of its responses were deleted. */
const deletedLabel = (seq: number): string => `gateway_deleted_${seq}`
const isDeleted = ({ labels }: SessionRow, seq: number): boolean => labels[deletedLabel(seq)] !== undefined

/** Hides the response; its session stays as it is. */
export async function deleteResponse(
  { sessions }: GatewayContext,
  { session, seq }: StoredResponse,
): Promise<void> {
  const writes = [{ session, events: [], index: { labels: { [deletedLabel(seq)]: 'true' } } }]
  await sessions.append({ writes, wakes: false })
}

/** The response as it is now. `end` is the seq of its last record, once it has ended. */
export async function readResponse(
  context: GatewayContext,
  { session, seq, run_id }: Pick<StoredResponse, 'session' | 'seq' | 'run_id'>,
): Promise<{ readonly response: ResponseObject; readonly end: number | undefined }> {
  const sealer = await context.sealer()
  const { owner } = context.principal()
  const seal = (text: string): string => sealer.seal(owner, text)
  const step = responsesWire.open({ session_id: session, options: { seal } })
  const follow = createSelector({ kind: 'run', run_id })
  const frames: Frame[] = []
  const items: unknown[] = []
  for await (const rec of recordsAfter(context, session, seq - 1)) {
    const { shown, last } = follow(rec)
    if (!shown) continue
    for (const frame of step(rec)) {
      frames.push(frame)
      if (frame.event === 'response.output_item.done') items.push(JSON.parse(frame.data).item)
    }
    if (last) return { response: foldResponse(frames), end: rec.seq }
  }
  return { response: { ...foldResponse(frames), output: items as ResponseObject['output'] }, end: undefined }
}

async function* recordsAfter(
  { sessions }: GatewayContext,
  session: string,
  after: number,
): AsyncGenerator<Rec, void> {
  for await (const records of readPages(sessions.reader, session, { after })) yield* records
}

/** The response as `sendResponse` reads it. */
export const toStarted = ({ session, seq, run_id }: StoredResponse): StartedAnswer => ({
  session,
  follow: { kind: 'run', run_id },
  from: seq - 1,
  chain: '',
  setup: '',
  user: undefined,
  pure: false,
  warnings: [],
})

/** The conversation up to and including a response, without the instructions of its request. Throws `bad_request`. */
export async function readConversation(
  context: GatewayContext,
  id: string,
): Promise<readonly ReceivedMessage[]> {
  const found = await findResponse(context, id)
  const missing = (): AppError =>
    new AppError('bad_request', `previous_response_id: no response has the id ${JSON.stringify(id)}`, {
      code: 'previous_response_not_found',
    })
  if (!found) throw missing()
  const { end } = await readResponse(context, found)
  if (end === undefined)
    throw new AppError('bad_request', 'previous_response_id: the response is still in progress')
  const isLatest = !(await hasRunAfter(context, found.session, end))
  const messages = isLatest
    ? (await context.sessions.state(found.session)).messages
    : await foldUntil(context, found.session, (_, at) => at === end)
  return withoutInstructions(messages, text => text === found.instructions).flatMap(toReceived)
}

/** The messages of the request that a response answers, with those of the conversation before it. */
export async function readInput(
  context: GatewayContext,
  { session, seq, forms, instructions }: StoredResponse,
): Promise<readonly OutputItem[]> {
  // The results that a run resumes with are part of the history once it asks the model.
  const messages = await foldUntil(context, session, ({ ev }, at) => at > seq && ev.type === 'turn.started')
  return toItems(messages, { session, forms, isInstruction: text => text === instructions })
}

interface ItemOptions {
  readonly session: string
  readonly forms?: ResponseRecord['forms']
  readonly isInstruction: (text: string) => boolean
}

/** Without the instructions; an item's id is its position in the whole history. */
export function toItems(
  messages: readonly HistoryMessage[],
  { session, forms, isInstruction }: ItemOptions,
): readonly OutputItem[] {
  const left = messages.length - withoutInstructions(messages, isInstruction).length
  return toHistoryItems(messages, session, forms).slice(left)
}

/** The messages up to and including the first record that `isLast` accepts. */
async function foldUntil(
  context: GatewayContext,
  session: string,
  isLast: (rec: Rec, seq: number) => boolean,
): Promise<readonly HistoryMessage[]> {
  let state = initial()
  for await (const rec of recordsAfter(context, session, 0)) {
    state = evolve(state, rec)
    if (isLast(rec, rec.seq)) break
  }
  return state.messages
}

/** The messages without the instructions of a request, which come before all others. */
export const withoutInstructions = (
  messages: readonly HistoryMessage[],
  isInstruction: (text: string) => boolean,
): readonly HistoryMessage[] =>
  messages.filter(
    (message, at) =>
      at > 0 ||
      message.role !== 'system' ||
      message.content.length !== 1 ||
      message.content[0]?.type !== 'text' ||
      !isInstruction(message.content[0].text),
  )

/** Names the messages in warnings. */
const FIELD = 'previous_response_id'

export function toReceived(message: HistoryMessage): readonly ReceivedMessage[] {
  if (message.role === 'tool')
    return message.results.map(result => ({ role: 'result', result, place: FIELD }))
  if (message.role !== 'assistant') return [{ ...message, place: FIELD }]
  const { role, provider, content } = message
  return [{ role, provider, content, place: FIELD }]
}

/** Items of earlier responses, by the ids that a request refers to. Unknown ids have no entry. */
export async function readReferenced(
  context: GatewayContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LooseItem>> {
  const items = new Map<string, LooseItem>()
  const seen = new Set<string>()
  for (const id of ids) {
    const position = readItemId(id)
    const key = position && `${position.session_id} ${position.seq}`
    if (!position || key === undefined || seen.has(key)) continue
    seen.add(key)
    for (const item of await readItemsAt(context, position)) items.set(item.id, item)
  }
  return items
}

/** The output of the response at this position; before every response, the history of the session. */
async function readItemsAt(
  context: GatewayContext,
  { session_id, seq }: ResponsePosition,
): Promise<readonly OutputItem[]> {
  if (seq === 0) {
    if (!(await context.index.row(session_id))) return []
    return toHistoryItems((await context.sessions.state(session_id)).messages, session_id)
  }
  const found = await findAt(context, session_id, seq)
  return found ? (await readResponse(context, found)).response.output : []
}
