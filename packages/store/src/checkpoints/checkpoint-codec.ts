/**
 * A checkpoint as bytes: SHA-256 of the rest, length of the head, head, facts, state. The head names everything that
 * must match; facts and state are deflated apart, so that facts are read without the state.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { createDeflateRaw, inflateRaw } from 'node:zlib'
import { type FactsAt, FOLD_VERSION, type Seq, type SessionState } from '@toolwire/core'

const inflate = promisify(inflateRaw)

/** Names the log that a checkpoint belongs to. */
export interface CheckpointName {
  readonly session: string
  readonly lineage: string
}

interface Head extends CheckpointName {
  readonly version: string
  readonly seq: Seq
  /** Hash of the record at `seq`. */
  readonly anchor: string
  /** Deflated bytes of the facts; the state follows them. */
  readonly factsBytes: number
}

export interface OpenCheckpoint {
  readonly seq: Seq
  readonly anchor: string
  /** Both reject when the bytes cannot be understood. */
  readonly facts: () => Promise<FactsAt>
  readonly state: () => Promise<SizedState>
}

export interface SizedState {
  readonly state: SessionState
  /** Characters of its JSON. */
  readonly size: number
}

const HASH_BYTES = 32
const HEAD_AT = HASH_BYTES + 4
/** Characters of JSON after which other work gets its turn. */
const CHARS_AT_ONCE = 500_000

export async function encodeCheckpoint(
  name: CheckpointName,
  { facts, seq }: FactsAt,
  { anchor, state }: { readonly anchor: string; readonly state: SessionState },
): Promise<Uint8Array> {
  const factsData = await deflate([JSON.stringify(facts)])
  const stateData = await deflate(await stateJson(state))
  const { session, lineage } = name
  const head: Head = { version: FOLD_VERSION, session, lineage, seq, anchor, factsBytes: factsData.length }
  const headData = Buffer.from(JSON.stringify(head))
  const headLength = Buffer.alloc(4)
  headLength.writeUInt32BE(headData.length)
  const body = Buffer.concat([headLength, headData, factsData, stateData])
  return Buffer.concat([hashOf(body), body])
}

/** Undefined for bytes that are damaged, or of another session, history or version of the fold. */
export function openCheckpoint(data: Uint8Array, name: CheckpointName): OpenCheckpoint | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  if (bytes.length < HEAD_AT || !hashOf(bytes.subarray(HASH_BYTES)).equals(bytes.subarray(0, HASH_BYTES)))
    return undefined
  const factsAt = HEAD_AT + bytes.readUInt32BE(HASH_BYTES)
  const head = JSON.parse(bytes.subarray(HEAD_AT, factsAt).toString()) as Head
  if (head.version !== FOLD_VERSION || head.session !== name.session || head.lineage !== name.lineage)
    return undefined
  const stateAt = factsAt + head.factsBytes
  const text = async (part: Buffer): Promise<string> => (await inflate(part)).toString()
  return {
    seq: head.seq,
    anchor: head.anchor,
    facts: async () => ({
      facts: JSON.parse(await text(bytes.subarray(factsAt, stateAt))) as FactsAt['facts'],
      seq: head.seq,
    }),
    async state() {
      const json = await text(bytes.subarray(stateAt))
      return { state: JSON.parse(json) as SessionState, size: json.length }
    },
  }
}

const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/**
 * As JSON.stringify, with other work in between: the state is immutable. A message, and a call of the latest one, is
 * written in one go; both may be large.
 */
async function stateJson({ messages, calls, hidden, ...rest }: SessionState): Promise<readonly string[]> {
  const written = { messages: await listJson(messages), calls: await listJson(calls) }
  return [
    ...(hidden ? ['{"hidden":', ...(await listJson(hidden)), ','] : ['{']),
    '"messages":',
    ...written.messages,
    ',"calls":',
    ...written.calls,
    `,${JSON.stringify(rest).slice(1)}`,
  ]
}

/** A piece is encoded and deflated at a time: one text of everything would be copied in one go. */
const deflate = (pieces: readonly string[]): Promise<Buffer> =>
  buffer(Readable.from(pieces).pipe(createDeflateRaw()))

async function listJson(items: readonly object[]): Promise<readonly string[]> {
  const pieces: string[] = []
  let text = '['
  for (const item of items) {
    text += `${text === '[' && pieces.length === 0 ? '' : ','}${JSON.stringify(item)}`
    if (text.length < CHARS_AT_ONCE) continue
    pieces.push(text)
    text = ''
    await new Promise(resolve => setImmediate(resolve))
  }
  return [...pieces, `${text}]`]
}
