/** Takes an exported session in: everything is checked first, then stored in one append or not at all. */
import {
  AppError,
  isDeeperThan,
  type Seq,
  type SessionEvent,
  type SessionPhase,
  type Store,
} from '@toolwire/core'
import { SessionEvent as EventSchema } from '@toolwire/core/schema'
import { EXPORT_FORMAT, EXPORT_VERSION, type ExportHeader } from './export-session.ts'
import { saidIn } from './search-text.ts'

export interface ImportOptions {
  /** The id to store the session under; the exported one by default. */
  readonly id?: string
}

export interface ImportResult {
  readonly id: string
  readonly head: Seq
}

const PHASES: readonly SessionPhase[] = ['idle', 'running', 'paused']

/**
 * Reads the lines of exportSession; blank lines are skipped. The session keeps its seqs, state, title and labels
 * and starts at epoch 0. Throws AppError: `bad_request` names the wrong line, `session_exists` and
 * `session_deleted` mean that the id is taken. Nothing is stored then.
 */
export async function importSession(
  store: Store,
  lines: Iterable<string> | AsyncIterable<string>,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const { header, events } = await readLines(lines)
  const id = options.id ?? header.id
  const { state, title, labels, wakeAt } = header
  const text = saidIn(events)
  const index = { labels, wakeAt, ...(title === null ? {} : { title }), ...(text === '' ? {} : { text }) }
  const [answer] = await store.append([{ session: id, create: true, events, state, index }])
  if (answer && 'head' in answer) return { id, head: answer.head }
  throw new AppError(answer && 'missing' in answer ? 'session_deleted' : 'session_exists')
}

async function readLines(
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<{ readonly header: ExportHeader; readonly events: readonly SessionEvent[] }> {
  let header: ExportHeader | undefined
  let number = 0
  const events: SessionEvent[] = []
  for await (const line of lines) {
    number += 1
    if (line.trim() === '') continue
    const value = parse(line, number)
    if (!header) header = toHeader(value, number)
    else events.push(toEvent(value, events.length + 1, number))
  }
  if (!header) throw wrong(1, 'there is no header')
  if (events.length !== header.head)
    throw wrong(number, `${header.head} events were announced, ${events.length} are there`)
  return { header, events }
}

/** Deeper data could be stored and never be written out again. No event of ours goes near. */
const MAX_NESTING = 1000

function parse(line: string, number: number): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !isDeeperThan(value, MAX_NESTING))
      return value as Record<string, unknown>
  } catch {
    // Said below, together with JSON that is no object.
  }
  throw wrong(number, `this is not a JSON object of at most ${MAX_NESTING} levels`)
}

function toHeader(value: Readonly<Record<string, unknown>>, number: number): ExportHeader {
  if (value['format'] !== EXPORT_FORMAT) throw wrong(number, 'this is not the header of an exported session')
  if (value['version'] !== EXPORT_VERSION)
    throw wrong(number, `version ${JSON.stringify(value['version'])} of the format is not known`)
  if (!isHeader(value)) throw wrong(number, 'the header lacks a field or has one of another type')
  return value
}

function isHeader(
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & ExportHeader {
  const { id, head, state, title, labels, wakeAt } = value
  return (
    typeof id === 'string' &&
    id !== '' &&
    Number.isSafeInteger(head) &&
    PHASES.some(phase => phase === state) &&
    (title === null || typeof title === 'string') &&
    (wakeAt === null || typeof wakeAt === 'number') &&
    typeof labels === 'object' &&
    labels !== null &&
    Object.values(labels).every(label => typeof label === 'string')
  )
}

function toEvent(value: Readonly<Record<string, unknown>>, seq: Seq, number: number): SessionEvent {
  if (value['seq'] !== seq)
    throw wrong(number, `event ${seq} was expected, not ${JSON.stringify(value['seq'])}`)
  const checked = EventSchema.safeParse(value['ev'])
  if (!checked.success) throw wrong(number, `event ${seq} is not of a known form`)
  // The event as it was written: the checked copy lacks fields that this version does not know.
  return value['ev'] as SessionEvent
}

const wrong = (line: number, message: string): AppError =>
  new AppError('bad_request', `Line ${line}: ${message}.`, { line })
