/** SIGKILL in the middle of a stream, start again on the same data: nothing is lost, the run comes to its end. */
import { expect, test } from 'vitest'
import { inFolder, launch } from './launch.ts'

interface Frame {
  readonly id: string
  readonly data: { readonly type: string; readonly content?: string }
}

/** Reads frames until `until` says so or the socket breaks. */
async function readFrames(response: Response, until: (frame: Frame) => boolean): Promise<readonly Frame[]> {
  const frames: Frame[] = []
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of response.body ?? []) {
      rest += decoder.decode(chunk, { stream: true })
      const parts = rest.split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts) {
        const match = /^id: (.+)\ndata: (.+)$/.exec(part)
        if (!match?.[1] || !match[2]) continue
        const frame = { id: match[1], data: JSON.parse(match[2]) }
        frames.push(frame)
        if (until(frame)) return frames
      }
    }
  } catch {
    // The socket of a killed server breaks: that is the point.
  }
  return frames
}

test('kill -9 in mid-stream, restart, resume by Last-Event-ID: every frame once, one end', async () => {
  await inFolder(async dir => {
    const first = await launch(dir, ['--port', '0'], { TOOLWIRE_DEMO_PACE_MS: '5' })
    const session = (await (await fetch(`${first.url}/api/sessions`, { method: 'POST' })).json()) as {
      id: string
    }
    const response = await fetch(`${first.url}/api/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: session.id, message: '/long 400' }),
    })
    let deltas = 0
    const before = await readFrames(response, frame => frame.data.type === 'text_delta' && ++deltas === 20)
    await first.stop('SIGKILL')

    const second = await launch(dir)
    const resumed = await fetch(`${second.url}/api/sessions/${session.id}/events?wire=chat`, {
      headers: { 'last-event-id': before.at(-1)?.id ?? '' },
    })
    expect(resumed.status).toBe(200)
    const after = await readFrames(resumed, frame => frame.data.type === 'done')
    const whole = await fetch(`${second.url}/api/sessions/${session.id}/events?wire=chat`)
    const all = await readFrames(whole, frame => frame.data.type === 'done')
    expect([...before, ...after]).toEqual(all)
    expect(all.filter(frame => frame.data.type === 'done')).toHaveLength(1)
    expect(all.filter(frame => frame.data.type === 'message_aborted')).toHaveLength(1)
    const read = await fetch(`${second.url}/api/sessions/${session.id}/events?wire=chat`, {
      headers: { 'last-event-id': all.at(-1)?.id ?? '' },
    })
    expect(read.status).toBe(204)
    await second.stop()
  })
})
