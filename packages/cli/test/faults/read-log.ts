/** What the log says of a session's runs. */
import { type EventOf, endsRun, type SessionEvent } from '@toolwire/core'
import { events, parsed, type Used } from './http-form.ts'

/** The whole log of a session, by its id or by the number of its thread. */
export async function readLog(url: string, session: string): Promise<readonly SessionEvent[]> {
  const id = /^\d+$/.test(session) ? await sessionOf(url, session) : session
  const response = await fetch(`${url}/api/sessions/${id}/events?wire=canonical&after=0`)
  return parsed(await events(response)) as readonly SessionEvent[]
}

async function sessionOf(url: string, thread: string): Promise<string> {
  const response = await fetch(`${url}/v4/threads/${thread}`)
  return ((await response.json()) as { session_id: string }).session_id
}

type RunEnd = EventOf<'run.failed' | 'run.completed' | 'run.paused' | 'run.cancelled'>

/** How the runs of the session ended, in order. */
export const ends = (log: readonly SessionEvent[]): readonly RunEnd[] =>
  log.filter((ev): ev is RunEnd => endsRun(ev.type) && ev.agent_run_id === undefined)

/** Total usage of a run's requests, from their events; undefined if none reports any. */
export function usageOfRun(log: readonly SessionEvent[], run_id: string | undefined): Used | undefined {
  const told = log
    .filter(ev => ev.type === 'turn.completed' || ev.type === 'message.aborted')
    .flatMap(ev => (ev.run_id === run_id && ev.usage ? [ev.usage] : []))
  if (told.length === 0) return undefined
  return {
    input: told.reduce((sum, one) => sum + one.input + one.cache_read + one.cache_write, 0),
    output: told.reduce((sum, one) => sum + one.output, 0),
  }
}
