/** The whole state of a session, folded from its log. */
import { evolve, initial, type SessionState } from '@toolwire/core'
import type { LogReader } from './log-reader.ts'

const PAGE = 1000

export async function foldSession(reader: LogReader, session: string): Promise<SessionState> {
  let state = initial()
  for (;;) {
    const records = await reader.read(session, state.head, PAGE)
    state = records.reduce(evolve, state)
    if (records.length < PAGE) return state
  }
}
