/** Messages that wait for a model, with what happened to the latest ones. */
import { type ContentPart, type EventOf, endsRun, type Rec } from '../event.ts'
import { moveItem } from '../move-item.ts'
import { isUserMessage } from '../state/evolve-queue.ts'
import type { Facts, SettledMessage, WaitingMessage } from './facts.ts'

const MAX_SETTLED = 128

export function advanceQueue(facts: Facts, rec: Rec): Facts {
  const { ev, seq } = rec
  if (ev.agent_run_id !== undefined) return facts
  switch (ev.type) {
    case 'input.message':
      return isUserMessage(ev) ? enqueue(facts, seq, ev) : facts
    case 'input.delivered':
      return settleById(facts, ev.message_id, seq, ev.run_id)
    case 'input.withdrawn':
      return settleById(facts, ev.message_id, seq)
    case 'input.changed':
      return change(facts, seq, ev)
    case 'run.started':
      return startRun(facts, seq, ev)
    default:
      return endsRun(ev.type) && ev.type !== 'run.paused' ? endRun(facts, rec) : facts
  }
}

function startRun(facts: Facts, seq: number, ev: EventOf<'run.started'>): Facts {
  if (ev.run_id === undefined) return facts
  const next = { ...facts, run_id: ev.run_id }
  const mine = facts.waiting.find(one => one.run_id === ev.run_id)
  return mine && ev.resumes_run_id === undefined ? settle(next, mine, seq, mine.run_id) : next
}

function settleById(facts: Facts, id: string, seq: number, run_id?: string): Facts {
  const found = facts.waiting.find(one => one.message_id === id)
  return found ? settle(closeRun(facts, found.run_id), found, seq, run_id) : facts
}

function enqueue(facts: Facts, seq: number, ev: EventOf<'input.message'>): Facts {
  const { message_id, run_id, content, when_running = 'queue' } = ev
  if (run_id === undefined) return facts
  const message: WaitingMessage = {
    message_id,
    run_id,
    seq,
    contentAt: seq,
    size: contentSize(content),
    when_running,
    revision: 0,
    isHeld: false,
  }
  const released = facts.waiting.filter(one => one.isHeld).reduce(release, facts)
  const first = released.waiting.findIndex(one => one.when_running !== 'interrupt')
  const index = when_running === 'interrupt' && first !== -1 ? first : released.waiting.length
  return { ...released, waiting: released.waiting.toSpliced(index, 0, message) }
}

/** The run of the message is still to come again. */
const release = (facts: Facts, { message_id, run_id }: WaitingMessage): Facts => ({
  ...facts,
  open: facts.open.includes(run_id) ? facts.open : [...facts.open, run_id],
  waiting: facts.waiting.map(one => (one.message_id === message_id ? { ...one, isHeld: false } : one)),
})

const closeRun = (facts: Facts, run_id: string): Facts =>
  facts.open.includes(run_id) ? { ...facts, open: facts.open.filter(id => id !== run_id) } : facts

function settle(facts: Facts, message: WaitingMessage, seq: number, run_id?: string): Facts {
  const { message_id, revision } = message
  const settled: SettledMessage = { message_id, seq, revision, ...(run_id === undefined ? {} : { run_id }) }
  return {
    ...facts,
    waiting: facts.waiting.filter(one => one !== message),
    settled: [...facts.settled, settled].slice(-MAX_SETTLED),
  }
}

function change(facts: Facts, seq: number, ev: EventOf<'input.changed'>): Facts {
  const at = facts.waiting.findIndex(one => one.message_id === ev.message_id)
  const before = facts.waiting[at]
  if (!before) return facts
  const { content, when_running = before.when_running, revision } = ev
  const message: WaitingMessage = {
    ...before,
    when_running,
    revision,
    ...(content === undefined ? {} : { contentAt: seq, size: contentSize(content) }),
  }
  const waiting = moveItem(facts.waiting.with(at, message), at, ev.place, () => true)
  const next = { ...facts, waiting }
  return before.isHeld && (ev.held === false || ev.when_running === 'steer') ? release(next, message) : next
}

function endRun(facts: Facts, { ev }: Rec): Facts {
  const { run_id: current, ...rest } = facts
  const held = 'queue_held' in ev ? (ev.queue_held ?? []) : []
  const left = facts.waiting.filter(one => one.run_id !== ev.run_id)
  const isHeldNow = (one: WaitingMessage): boolean => held.includes(one.message_id)
  const closed = left.filter(isHeldNow).reduce((next, one) => closeRun(next, one.run_id), {
    ...rest,
    waiting: left.map(one => (isHeldNow(one) ? { ...one, isHeld: true } : one)),
  } as Facts)
  return current === undefined || current === ev.run_id ? closed : { ...closed, run_id: current }
}

/** Characters of texts and media. */
export function contentSize(content: readonly ContentPart[]): number {
  return content.reduce((sum, part) => sum + partSize(part), 0)
}

function partSize(part: ContentPart): number {
  if (part.type === 'text') return part.text.length
  const { source } = part
  if (source.type === 'file') return source.file_id.length
  return source.type === 'url' ? source.url.length : source.data.length
}
