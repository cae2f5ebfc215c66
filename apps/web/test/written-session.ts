/** Sessions that were never run: their logs are written into the data folder before the server starts. */
import type { ViewRecord } from '@toolwire/core/view'
import { openSqliteStore } from '@toolwire/store'
import { Script } from '../../../packages/core/test/view/script.ts'

/** Records per commit: about as many as a run writes at once. */
const COMMIT = 20

/** Writes each log as a separate session, by its id. The folder must not be in use. */
export async function writeSessions(
  data: string,
  logs: Readonly<Record<string, readonly ViewRecord[]>>,
): Promise<void> {
  const store = await openSqliteStore({ dir: data })
  try {
    for (const [session, records] of Object.entries(logs)) {
      const events = records.map(record => record.ev)
      await store.append([
        { session, create: true, events: events.slice(0, 1), state: 'idle', index: { title: session } },
      ])
      const state = events.at(-1)?.type === 'run.paused' ? 'paused' : 'idle'
      for (let from = 1; from < events.length; from += COMMIT)
        await store.append([{ session, events: events.slice(from, from + COMMIT), state }])
    }
  } finally {
    await store.close()
  }
}

/** Exchanges of ten calls each; every call has its deltas and its output, about twenty records. */
export function longLog(calls: number): readonly ViewRecord[] {
  const script = new Script().created()
  for (let exchange = 0; exchange * 10 < calls; exchange++) {
    const run = `r${exchange}`
    script.ask(`Question number ${exchange}`, run)
    for (let n = 0; n < 10; n++) oneCall(script, `m${exchange}x${n}`, exchange * 10 + n)
    script.turn(`m${exchange}x`).text(`m${exchange}x`, 0, [`Answer number ${exchange}.`])
    script.endTurn(`m${exchange}x`, 0.01).completeRun(0.01)
  }
  return script.records
}

function oneCall(script: Script, message: string, n: number): void {
  const call = `call${n}`
  script.turn(message).text(message, 0, ['Step ', 'by ', `step ${n}, `, 'as ', 'ever.'])
  script.call(message, 1, call, { input: { command: `echo ${n}` } })
  script.add('tool.started', { call_id: call, attempt: 1 })
  for (let line = 0; line < 4; line++)
    script.add('tool.progress', { call_id: call, output_delta: `line ${line} of call ${n}\n` })
  script.done(call, `line 0 of call ${n}\nline 3 of call ${n}`).endTurn(message, 0.001)
}
