/** The log lines of a run: its progress, and nothing of its content. */
import type { SessionEvent } from '@toolwire/core'
import { expect, it } from 'vitest'
import { observeToLogger } from '../../src/observe/log-lines.ts'
import { startServer } from '../start-server.ts'

it('names session and seq of every turn in the life of a run', async () => {
  const lines: { readonly message: string; readonly fields: Record<string, unknown> }[] = []
  const log = (fields: Readonly<Record<string, unknown>>, message: string): void =>
    void lines.push({ message, fields })
  const running = await startServer({}, { observers: [observeToLogger({ info: log, error: log })] })
  try {
    const session_id = await running.newSession()
    await (await running.chat({ session_id, message: 'echo a secret' })).text()
    await (await running.chat({ session_id, message: 'fail' })).text()
    await running.settled()
    expect(lines.map(line => line.message)).toEqual([
      'run.started',
      'run.completed',
      'run.started',
      'run.failed',
    ])
    for (const { message, fields } of lines) {
      expect(fields['session']).toBe(session_id)
      const [rec] = await running.store.read(session_id, Number(fields['seq']) - 1, 1)
      expect(rec?.ev.type).toBe(message)
    }
    expect(lines.at(-1)?.fields['code']).toBe('model_overloaded')
    expect(JSON.stringify(lines)).not.toContain('secret')
    const events = [
      {
        type: 'tool.failed',
        ts: '',
        run_id: 'r',
        call_id: 'c',
        error: { layer: 'permission', code: 'denied' },
      },
      { type: 'run.paused', ts: '', run_id: 'r', reason: 'approval', pending: [{ input_text: 'secret' }] },
      { type: 'run.cancelled', ts: '', run_id: 'r', duration_ms: 5, num_turns: 1, reason: 'secret' },
    ] as unknown as readonly SessionEvent[]
    const before = lines.length
    observeToLogger({ info: log, error: log })({ session: 's', events }, { head: 12 }, 1)
    expect(lines.slice(before)).toEqual([
      {
        message: 'tool.failed',
        fields: { session: 's', seq: 10, run: 'r', call: 'c', layer: 'permission', code: 'denied' },
      },
      { message: 'run.paused', fields: { session: 's', seq: 11, run: 'r', reason: 'approval', pending: 1 } },
      { message: 'run.cancelled', fields: { session: 's', seq: 12, run: 'r', ms: 5, turns: 1 } },
    ])
    const requests = running.logged
      .filter(line => line.startsWith('request '))
      .map(line => JSON.parse(line.slice(8)))
    expect(requests).toContainEqual(
      expect.objectContaining({
        path: '/api/chat/stream',
        session: session_id,
        request_id: expect.any(String),
      }),
    )
  } finally {
    await running.close()
  }
})
