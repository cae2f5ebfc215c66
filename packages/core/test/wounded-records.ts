/** Logs as a canonical wire carries them, with random wounds: in events, in their order, in their numbers. */
import fc from 'fast-check'
import { WHOLE_EVENTS } from './event-samples.ts'
import { HOSTILE_WORDS, mutatedJson } from './mutate.ts'

interface HonestRecord {
  readonly seq: number
  readonly ev: object
}

interface Change {
  readonly kind: 'wound' | 'repeat' | 'remove' | 'swap' | 'insert' | 'number' | 'word'
  readonly at: number
  readonly to: number
  readonly event: unknown
  readonly seq: unknown
  readonly word: string
}

const SEQS: readonly unknown[] = [0, -1, 0.5, 1, 2, 1e308, Number.MAX_SAFE_INTEGER, null, '3', {}, [4]]
/** Fields that say which of a few things it is; readers choose by them. */
const WORDS: readonly string[] = [
  'kind',
  'state',
  'outcome',
  'decision',
  'finish',
  'status',
  'role',
  'executor',
  'tool_type',
  'reason',
  'layer',
  'code',
  'name',
  'model',
  'call_id',
  'block_id',
  'message_id',
  'agent_run_id',
  'run_id',
]

/** The envelopes of one of these logs with a few wounds; what is wounded need not be an envelope any more. */
export function woundedRecords(logs: readonly (readonly HonestRecord[])[]): fc.Arbitrary<readonly unknown[]> {
  const change = (events: readonly object[]): fc.Arbitrary<Change> =>
    fc.record({
      kind: fc.constantFrom<Change['kind']>(
        'wound',
        'wound',
        'word',
        'word',
        'repeat',
        'remove',
        'swap',
        'insert',
        'number',
      ),
      at: fc.nat({ max: 1000 }),
      to: fc.nat({ max: 1000 }),
      event: mutatedJson(events),
      seq: fc.constantFrom(...SEQS),
      word: fc.constantFrom(...HOSTILE_WORDS),
    })
  return fc.oneof(
    ...logs.map(log => {
      const events = [...log.map(({ ev }) => ev), ...WHOLE_EVENTS]
      return fc.array(change(events), { minLength: 1, maxLength: 8 }).map(changes =>
        changes.reduce<unknown[]>(
          apply,
          log.map(({ seq, ev }) => ({ ...ev, seq })),
        ),
      )
    }),
  )
}

function apply(records: unknown[], change: Change): unknown[] {
  const at = change.at % Math.max(1, records.length)
  const to = change.to % Math.max(1, records.length)
  const here = records[at]
  switch (change.kind) {
    case 'wound':
      return records.with(at, numbered(change.event, here))
    case 'word':
      return records.with(at, withWord(here, change))
    case 'repeat':
      return records.toSpliced(to, 0, here)
    case 'remove':
      return records.length > 1 ? records.toSpliced(at, 1) : records
    case 'swap':
      return records.with(at, records[to]).with(to, here)
    case 'insert':
      return records.toSpliced(at, 0, numbered(change.event, here))
    case 'number':
      return records.with(at, isObject(here) ? { ...here, seq: change.seq } : here)
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Instead of another record: without its number it would be ignored. */
const numbered = (event: unknown, before: unknown): unknown =>
  isObject(event) && isObject(before) ? { ...event, seq: before['seq'] } : event

/** An event of the right shape with unexpected content. */
function withWord(record: unknown, { to, word }: Change): unknown {
  if (!isObject(record)) return record
  const names = WORDS.filter(name => typeof record[name] === 'string')
  const name = names[to % Math.max(1, names.length)]
  return name === undefined ? record : { ...record, [name]: word }
}
