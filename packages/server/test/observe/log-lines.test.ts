/** What the log says about a run: where it stands, and nothing of what was said. */
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
