/** Golden pairs: each log as every wire shows it. A difference is a change of an API; `vitest run -u` accepts it. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Rec } from '@toolwire/core'
import { SessionEvent } from '@toolwire/core/schema'
import { describe, expect, it } from 'vitest'
import {
  agUiWire,
  aiSdkWire,
  canonicalWire,
  chatWire,
  completionWire,
  type Frame,
  messagesWire,
  responsesWire,
  threadWire,
  type Wire,
} from '../../src/index.ts'

const WIRES: readonly Wire[] = [
  canonicalWire,
  chatWire,
  threadWire,
  completionWire,
  messagesWire,
  responsesWire,
  aiSdkWire(5),
  aiSdkWire(6),
  aiSdkWire(7),
  agUiWire,
]
const FOLDERS = [new URL('../chat/cases/', import.meta.url), new URL('cases/', import.meta.url)]
const LOGS = FOLDERS.flatMap(folder =>
  readdirSync(folder)
    .filter(file => file.endsWith('.events.jsonl'))
    .map(file => ({ name: file.slice(0, -'.events.jsonl'.length), path: new URL(file, folder) })),
)
const SESSION = '550e8400-e29b-41d4-a716-446655440000'

const readLog = (path: URL): readonly Rec[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line, i) => ({ seq: i + 1, epoch: 1, ev: SessionEvent.parse(JSON.parse(line)) }))

function framesOf(wire: Wire, log: readonly Rec[]): readonly Frame[] {
  const step = wire.open({ session_id: SESSION })
  return log.flatMap(rec => step(rec))
}

const toText = (frames: readonly Frame[]): string =>
  frames
    .map(({ event, data }) => `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n`)
    .join('\n')

describe.each(LOGS)('the log $name', ({ name, path }) => {
  const log = readLog(path)

  it.each(WIRES)('over $id', async wire => {
    const file = new URL(`cases/${name}.${wire.id}.txt`, import.meta.url)
    await expect(toText(framesOf(wire, log))).toMatchFileSnapshot(file.pathname)
  })

  it('has the same words on every wire', () => {
    const texts = log.flatMap(({ ev }) =>
      ev.type === 'block.completed' && ev.text !== undefined && ev.agent_run_id === undefined
        ? [ev.text]
        : [],
    )
    const aborted = new Set(log.flatMap(({ ev }) => (ev.type === 'message.aborted' ? [ev.message_id] : [])))
    if (aborted.size > 0) return
    for (const wire of WIRES) {
      const shown = joined(framesOf(wire, log))
      for (const text of texts) expect(shown, wire.id).toContain(text.slice(0, 200))
    }
  })
})

/** All strings of the frames in order, so that words are found however they were cut. */
function joined(frames: readonly Frame[]): string {
  const parts: string[] = []
  for (const { data } of frames) if (data.startsWith('{')) collect(JSON.parse(data), parts)
  return parts.join('')
}

const WORDS: ReadonlySet<string> = new Set([
  'text',
  'delta',
  'content',
  'thinking',
  'data',
  'block',
  'message',
  'choices',
  'part',
  'item',
  'event',
  'ev',
  'response',
  'output',
  'v',
  'value',
])

function collect(value: unknown, parts: string[]): void {
  if (typeof value === 'string') parts.push(value)
  else if (Array.isArray(value)) for (const one of value) collect(one, parts)
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) if (WORDS.has(name)) collect(inner, parts)
}
