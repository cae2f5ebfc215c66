import { HttpAgent as Agent1 } from '@ag-ui/client'
import type { Rec } from '@toolwire/core'
import { HttpAgent as Agent0 } from 'agui-client-0'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AgUiOptions, agUiWire, createAgUiFold } from '../../src/index.ts'
import { randomLog } from '../random-log.ts'
import { findBrokenCut, SESSION } from '../resume-property.ts'
import { FLOWS } from '../thread/flows.ts'

const seeds = fc.integer({ min: 0, max: 1_000_000 })
const CLIENTS = [
  ['1.0.0', Agent1, true],
  ['0.0.59', Agent0 as unknown as typeof Agent1, false],
] as const

const streamOf = (log: readonly Rec[], options: AgUiOptions = {}): readonly string[] => {
  const step = agUiWire.open({ session_id: SESSION, options: { ...options } })
  return log.flatMap(rec => step(rec).map(frame => `data: ${frame.data}\n\n`))
}

/** One stream per run, as the client asks for them. */
function runsOf(log: readonly Rec[], options: AgUiOptions): readonly string[] {
  const runs: string[] = []
  for (const frame of streamOf(log, options)) {
    if (frame.includes('"type":"RUN_STARTED"')) runs.push('')
    runs.push(`${runs.pop() ?? ''}${frame}`)
  }
  return runs
}

interface Applied {
  readonly role: string
  readonly [field: string]: unknown
}

/** The interrupts that a run ended with: the client insists on an answer to each. */
const interruptsOf = (run: string): readonly string[] =>
  [...run.matchAll(/\{"id":"(apr_\w+)","reason"/g)].map(([, id]) => id ?? '')

/** The messages that the real client builds from all runs of the log; failures are those that it reports. */
async function apply(
  Agent: typeof Agent1,
  runs: readonly string[],
): Promise<{ readonly messages: readonly Applied[]; readonly failures: readonly string[] }> {
  let next = ''
  const failures: string[] = []
  const agent = new Agent({
    url: 'http://127.0.0.1/ag-ui',
    threadId: SESSION,
    fetch: async () => new Response(next, { headers: { 'content-type': 'text/event-stream' } }),
  })
  let open: readonly string[] = []
  for (const run of runs) {
    next = run
    const resume = open.map(id => ({
      interruptId: id,
      status: 'resolved' as const,
      payload: { approved: true },
    }))
    await agent
      .runAgent(resume.length > 0 ? { resume } : {}, {
        onRunErrorEvent: ({ event }) => void failures.push(event.message),
      })
      .catch(error => {
        if (!run.includes('RUN_ERROR')) throw error
      })
    // A run that failed leaves them open.
    if (!run.includes('RUN_ERROR')) open = interruptsOf(run)
  }
  const messages = JSON.parse(JSON.stringify(agent.messages)) as readonly Applied[]
  return { messages: messages.filter(({ role }) => role !== 'activity'), failures }
}

const foldOf = (log: readonly Rec[]): readonly Applied[] => {
  const fold = createAgUiFold(SESSION)
  for (const rec of log) fold.step(rec)
  return (JSON.parse(JSON.stringify(fold.messages())) as readonly Applied[]).filter(
    ({ role }) => role !== 'user',
  )
}

describe('the AG-UI wire', () => {
  it.each(Object.entries(FLOWS))('golden pair: %s', async (name, log) => {
    for (const [version, isVersion1] of [
      ['v1', true],
      ['v0', false],
    ] as const) {
      const file = new URL(`cases/${name}.${version}.txt`, import.meta.url).pathname
      await expect(streamOf(log, { isVersion1 }).join('')).toMatchFileSnapshot(file)
    }
  })

  it('continues byte for byte after a cut behind any frame', () => {
    fc.assert(
      fc.property(seeds, seed => {
        expect(findBrokenCut(agUiWire, randomLog(seed, { runs: 2, deltas: 3 }))).toBeUndefined()
      }),
      { numRuns: 15 },
    )
  })

  it('never repeats a message id within a thread', () => {
    fc.assert(
      fc.property(seeds, seed => {
        const ids = foldOf(randomLog(seed)).map(message => message['id'])
        expect(new Set(ids).size).toBe(ids.length)
      }),
      { numRuns: 50 },
    )
  })

  it('shows nothing of nested agents but their activity', () => {
    const sse = streamOf(FLOWS['nested-agent'] ?? []).join('')
    expect(sse).not.toContain('inner words')
    expect(sse).toContain('"activityType":"agent"')
  })

  it('has no outcome for client tools before version 1.0, and an interrupt for approvals in both', () => {
    const client = FLOWS['client-tool'] ?? []
    expect(streamOf(client).join('')).not.toContain('"outcome"')
    expect(streamOf(client, { isVersion1: true }).join('')).toContain('"pendingToolCallIds":["call_456"]')
    const asked = streamOf(FLOWS['approval-denied'] ?? [], { interrupt_reason: 'confirmation' }).join('')
    expect(asked).toContain('"interrupts":[{"id":"apr_1","reason":"confirmation"')
  })
})

describe.each(CLIENTS)('the real client %s', (_version, Agent, isVersion1) => {
  it('accepts every run, and builds the messages that the fold gives', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async seed => {
        const log = randomLog(seed)
        const { messages } = await apply(Agent, runsOf(log, { isVersion1, client_results: true }))
        expect(messages).toEqual(foldOf(log))
      }),
      { numRuns: 25 },
    )
  })

  it.each(Object.entries(FLOWS))('accepts the flow %s', async (_name, log) => {
    const { messages, failures } = await apply(Agent, runsOf(log, { isVersion1, client_results: true }))
    expect(messages).toEqual(foldOf(log))
    expect(failures).toEqual(log.flatMap(({ ev }) => (ev.type === 'run.failed' ? [ev.error.message] : [])))
  })
})
