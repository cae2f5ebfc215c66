import { createSelector, type Rec } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aiSdkWire, createMessageFold, decodeHeldMessage } from '../../src/index.ts'
import { randomLog } from '../random-log.ts'
import { findBrokenCut, SESSION } from '../resume-property.ts'
import { FLOWS } from '../thread/flows.ts'
import { DIALECTS, type ReadMessage, readMessage, streamOf } from './readers.ts'

const seeds = fc.integer({ min: 0, max: 1_000_000 })
const SMALL = { runs: 2, deltas: 3 }

/** One log per exchange, as a reader that follows the conversation gets it. */
function exchangesOf(log: readonly Rec[]): readonly (readonly Rec[])[] {
  const ids = log.flatMap(({ ev }) =>
    ev.type === 'run.started' && ev.resumes_run_id === undefined ? [ev.conversation_id] : [],
  )
  return ids.map(id => {
    const select = createSelector({ kind: 'conversation', conversation_id: id })
    return log.filter(rec => select(rec).shown)
  })
}

const failuresIn = (log: readonly Rec[]): readonly string[] =>
  log.flatMap(({ ev }) => (ev.type === 'run.failed' ? [String(new Error(ev.error.message))] : []))

const foldOf = (dialect: 5 | 6 | 7, log: readonly Rec[]) => {
  const fold = createMessageFold(dialect, SESSION)
  for (const rec of log) fold.step(rec)
  return JSON.parse(JSON.stringify(fold.messages())) as readonly (ReadMessage & { role: string })[]
}

describe.each(DIALECTS)('the AI SDK wire in dialect %i', dialect => {
  it.each(Object.entries(FLOWS))('golden pair: %s', async (name, log) => {
    const file = new URL(`cases/${name}.v${dialect}.txt`, import.meta.url).pathname
    await expect(streamOf(dialect, log)).toMatchFileSnapshot(file)
  })

  it('is read by the real package without an error, and gives the messages that the fold gives', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async seed => {
        for (const log of [...exchangesOf(randomLog(seed)), ...Object.values(FLOWS)]) {
          const { message, errors } = await readMessage(dialect, streamOf(dialect, log))
          expect(errors).toEqual(failuresIn(log))
          expect(foldOf(dialect, log).find(one => one.role === 'assistant')).toEqual(message)
        }
      }),
      { numRuns: 25 },
    )
  })

  it('continues byte for byte after a cut behind any frame', () => {
    fc.assert(
      fc.property(seeds, seed => {
        expect(findBrokenCut(aiSdkWire(dialect), randomLog(seed, SMALL))).toBeUndefined()
      }),
      { numRuns: 15 },
    )
  })

  it('sends to a page that has any part of the message the rest, and no part twice', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.nat(), async (seed, pick) => {
        for (const log of exchangesOf(randomLog(seed, { runs: 1, deltas: 2 }))) {
          const pauses = log.filter(({ ev }) => ev.type === 'run.paused')
          const pause = pauses[pick % Math.max(1, pauses.length)]
          if (!pause) continue
          const before = log.filter(rec => rec.seq <= pause.seq)
          const { message: held } = await readMessage(dialect, streamOf(dialect, before))
          const options = { held: decodeHeldMessage(held), resumed_at: pauses.at(-1)?.seq ?? 0 }
          const { message, errors } = await readMessage(dialect, streamOf(dialect, log, options), held)
          const { message: whole } = await readMessage(dialect, streamOf(dialect, log))
          expect(errors).toEqual(failuresIn(log))
          expect(message?.parts).toEqual(whole?.parts)
          expect(message?.id).toBe(whole?.id)
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('the AI SDK wire', () => {
  it('shows the text of nested agents only in their data part', () => {
    const sse = streamOf(7, FLOWS['nested-agent'] ?? [])
    expect(sse).not.toContain('"delta":"inner words"')
    expect(sse).toContain('"type":"data-agent","id":"agent_1"')
  })

  it('sends no signatures and no encrypted reasoning', () => {
    fc.assert(
      fc.property(seeds, seed => {
        for (const dialect of DIALECTS) expect(streamOf(dialect, randomLog(seed))).not.toContain('"sig"')
      }),
      { numRuns: 20 },
    )
  })
})
