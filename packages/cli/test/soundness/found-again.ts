/**
 * What servers acknowledged and clients saw, looked up in the logs afterwards, one log after another: a whole soak's
 * would not fit into memory.
 */
import type { Rec, SessionEvent } from '@toolwire/core'

type TakenInput =
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'approval'; readonly approval_id: string }
  | { readonly type: 'output'; readonly call_id: string; readonly text: string }

export type Taken =
  | TakenInput
  /** A whole answer, by the message it answers. */
  | { readonly type: 'answer'; readonly message: string; readonly text: string }

/** The text of a stream before it ended or was interrupted; previews are included as soon as they were seen. */
export interface SeenText {
  readonly session: string
  readonly text: string
}

export interface FoundAgain {
  readonly look: (session: string, log: readonly Rec[]) => void
  /**
   * Items that are missing, repeated, or different from what was reported. `effects` gives the number of times
   * each write was done.
   */
  readonly end: (effects: ReadonlyMap<string, number>) => readonly string[]
  /** Writes whose calls reported success, and those of unknown outcome. */
  readonly writes: () => { readonly done: number; readonly unknown: number }
}

type WriteEnd = 'done' | 'unknown' | 'not done'

export function createFoundAgain(taken: readonly Taken[], seen: readonly SeenText[]): FoundAgain {
  const counts = new Map<string, number>()
  const answers = new Map(taken.flatMap(one => (one.type === 'answer' ? [[one.message, one.text]] : [])))
  const answered = new Set<string>()
  const texts = Map.groupBy(seen, one => one.session)
  const writes = new Map<string, WriteEnd>()
  const problems: string[] = []

  function checkAnswers(session: string, log: readonly Rec[], messages: readonly string[]): void {
    for (const message of messages) {
      const told = answers.get(message)
      if (told === undefined) continue
      answered.add(message)
      const result = log.findLast(
        ({ ev }) => ev.type === 'run.completed' && ev.agent_run_id === undefined,
      )?.ev
      if (result?.type !== 'run.completed' || result.result_text !== told)
        problems.push(`${session}: the answer to "${message}" was told otherwise than it is in the log`)
    }
  }

  function checkTexts(session: string, log: readonly Rec[]): void {
    const own = texts.get(session)
    if (!own) return
    texts.delete(session)
    const said = textsOf(log)
    for (const { text } of own)
      if (!said.some(one => one.startsWith(text)))
        problems.push(`${session}: ${text.length} characters were streamed that the log does not have`)
  }

  return {
    look(session, log) {
      for (const { ev } of log) {
        const key = keyOf(ev)
        if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      checkAnswers(
        session,
        log,
        log.flatMap(({ ev }) => (ev.type === 'input.message' ? [messageText(ev)] : [])),
      )
      checkTexts(session, log)
      for (const [line, end] of writesIn(log)) {
        if (writes.has(line)) problems.push(`${session}: write ${line} was called for twice`)
        writes.set(line, end)
      }
    },
    end(effects) {
      for (const one of taken)
        if (one.type === 'answer') {
          if (!answered.has(one.message)) problems.push(`the message "${one.message}" has no log`)
        } else if (counts.get(keyFor(one)) !== 1)
          problems.push(
            `${keyFor(one)} was acknowledged and is ${counts.get(keyFor(one)) ?? 0} times in the log`,
          )
      for (const session of texts.keys()) problems.push(`${session} streamed and has no log`)
      return [...problems, ...checkEffects(writes, effects)]
    },
    writes: () => {
      const ends = [...writes.values()]
      const count = (end: WriteEnd): number => ends.filter(one => one === end).length
      return { done: count('done'), unknown: count('unknown') }
    },
  }
}

/** Done means once, unknown means at most once, and what was not done left nothing behind. */
function checkEffects(
  writes: ReadonlyMap<string, WriteEnd>,
  effects: ReadonlyMap<string, number>,
): readonly string[] {
  const problems: string[] = []
  for (const [line, end] of writes) {
    const count = effects.get(line) ?? 0
    const isRight = end === 'done' ? count === 1 : end === 'unknown' ? count <= 1 : count === 0
    if (!isRight) problems.push(`write ${line} is told as ${end}, and was done ${count} times`)
  }
  for (const line of effects.keys())
    if (!writes.has(line)) problems.push(`write ${line} was done without a call`)
  return problems
}

/** The event of an acknowledgement: the first answer applies, later ones may be in the log too. */
function keyOf(ev: SessionEvent): string | undefined {
  switch (ev.type) {
    case 'input.message':
      return keyFor({ type: 'message', text: messageText(ev) })
    case 'tool.approval_resolved':
      return ev.decision === 'approved'
        ? keyFor({ type: 'approval', approval_id: ev.approval_id })
        : undefined
    case 'tool.completed':
      return keyFor({ type: 'output', call_id: ev.call_id, text: ev.output_text })
    default:
      return undefined
  }
}

function keyFor(taken: TakenInput): string {
  switch (taken.type) {
    case 'message':
      return `message "${taken.text}"`
    case 'approval':
      return `approval ${taken.approval_id}`
    case 'output':
      return `output "${taken.text}" of ${taken.call_id}`
  }
}

const messageText = (ev: Extract<SessionEvent, { type: 'input.message' }>): string =>
  ev.content.map(part => (part.type === 'text' ? part.text : '')).join('')

/** The text of each message of a log, aborted ones too. */
function textsOf(log: readonly Rec[]): readonly string[] {
  const messages = new Map<string, string>()
  const blocks = new Map<string, string>()
  for (const { ev } of log) {
    if (ev.type === 'block.started') blocks.set(ev.block_id, ev.message_id)
    if (ev.type !== 'block.delta' || ev.text === undefined) continue
    const message = blocks.get(ev.block_id) ?? ''
    messages.set(message, (messages.get(message) ?? '') + ev.text)
  }
  return [...messages.values()]
}

const WRITE = /echo (\S+) >> effects\.txt/

/** The lines that calls of a log were to add, and what their ends say of it. */
function writesIn(log: readonly Rec[]): ReadonlyMap<string, WriteEnd> {
  const lines = new Map<string, string>()
  const writes = new Map<string, WriteEnd>()
  for (const { ev } of log) {
    if (ev.type === 'tool.ready') {
      const line = WRITE.exec(ev.input_text)?.[1]
      if (line !== undefined) lines.set(ev.call_id, line)
    }
    if (ev.type !== 'tool.completed' && ev.type !== 'tool.failed') continue
    const line = lines.get(ev.call_id)
    if (line !== undefined) writes.set(line, endOf(ev))
  }
  return writes
}

/** What ended badly after it had begun may have had its effect. */
function endOf(ev: Extract<SessionEvent, { type: 'tool.completed' | 'tool.failed' }>): WriteEnd {
  if (ev.type === 'tool.completed') return ev.is_error ? 'unknown' : 'done'
  return ev.error.layer === 'execution' || ev.error.layer === 'aborted' ? 'unknown' : 'not done'
}
