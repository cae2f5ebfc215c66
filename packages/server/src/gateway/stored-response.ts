/** Responses that the log holds: found by their ids, at any age, on any server of the group. */
import { AppError, createSelector, evolve, type HistoryMessage, initial, type Rec } from '@toolwire/core'
import { readPages } from '@toolwire/session'
import {
  type Frame,
  foldResponse,
  type LooseItem,
  type ReceivedMessage,
  type ResponseObject,
  readItemId,
  readRecord,
  readResponseId,
  responsesWire,
} from '@toolwire/wire'
import type { GatewayContext, StartedAnswer } from './gateway-context.ts'
import { hasRunAfter } from './log-ahead.ts'

/** A run that answered a request of this wire. */
export interface StoredResponse {
  readonly session: string
  readonly seq: number
  readonly run_id: string
  readonly instructions: string | undefined
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
  if (!(await context.index.row(session))) return undefined
  const [rec] = await context.sessions.reader.read(session, seq - 1, 1)
  if (rec?.seq !== seq || rec.ev.type !== 'run.started' || rec.ev.agent_run_id !== undefined) return undefined
  const { store, echo } = readRecord(rec.ev.options)
  const { instructions } = echo
  if (!store || rec.ev.run_id === undefined) return undefined
  return {
    session,
    seq,
    run_id: rec.ev.run_id,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}

/** The response as it is now. `end` is the seq of its last record, once it has ended. */
export async function readResponse(
  context: GatewayContext,
  { session, seq, run_id }: Pick<StoredResponse, 'session' | 'seq' | 'run_id'>,
): Promise<{ readonly response: ResponseObject; readonly end: number | undefined }> {
  const step = responsesWire.open({ session_id: session })
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
    : await foldUntil(context, found.session, end)
  return messages
    .filter((message, at) => at > 0 || !isInstruction(message, found.instructions))
    .flatMap(toReceived)
}

async function foldUntil(
  context: GatewayContext,
  session: string,
  end: number,
): Promise<readonly HistoryMessage[]> {
  let state = initial()
  for await (const rec of recordsAfter(context, session, 0)) {
    if (rec.seq > end) break
    state = evolve(state, rec)
  }
  return state.messages
}

const isInstruction = (message: HistoryMessage, instructions: string | undefined): boolean =>
  message.role === 'system' &&
  message.content.length === 1 &&
  message.content[0]?.type === 'text' &&
  message.content[0].text === instructions

/** Names the messages in warnings. */
const FIELD = 'previous_response_id'

function toReceived(message: HistoryMessage): readonly ReceivedMessage[] {
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
    const found = await findAt(context, position.session_id, position.seq)
    if (!found) continue
    const { response } = await readResponse(context, found)
    for (const item of response.output) items.set(item.id, item)
  }
  return items
}
