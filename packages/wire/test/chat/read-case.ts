/** A golden case of the chat wire: its log, and the frames that the projection makes of it. */
import { readdirSync, readFileSync } from 'node:fs'
import { type Rec, START } from '@toolwire/core'
import { SessionEvent } from '@toolwire/core/schema'
import { chatWire, encodeSse, framesAfter } from '../../src/index.ts'

export const SESSION = '550e8400-e29b-41d4-a716-446655440000'
export const CASES = new URL('cases/', import.meta.url)

export const caseNames = (): readonly string[] =>
  readdirSync(CASES)
    .filter(file => file.endsWith('.events.jsonl'))
    .map(file => file.slice(0, -'.events.jsonl'.length))

function readLog(name: string): readonly Rec[] {
  const lines = readFileSync(new URL(`${name}.events.jsonl`, CASES), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line, i) => ({ seq: i + 1, epoch: 1, ev: SessionEvent.parse(JSON.parse(line)) }))
}

/** The whole stream as it is sent. */
export function streamOf(name: string): string {
  const step = chatWire.open({ session_id: SESSION })
  return readLog(name)
    .flatMap(rec => framesAfter(SESSION, rec, step(rec), START).map(encodeSse))
    .join('')
}

export interface Shown {
  readonly type: string
  readonly [field: string]: unknown
}

/** The frames, parsed. */
export const shownBy = (name: string): readonly Shown[] =>
  [...streamOf(name).matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? '') as Shown)
