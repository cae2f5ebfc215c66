import { expect, it } from 'vitest'
import { readFrames } from './read-sse.ts'
import { startServer } from './start-server.ts'

it('the models are listed with the default first, and unknown facts are omitted', async () => {
  const running = await startServer({
    model: 'one',
    listModels: () => ['two', 'one'],
    describeModel: id => (id === 'one' ? { context: 1000 } : {}),
  })
  try {
    const { body } = await running.json('GET', '/api/models')
    expect(body).toEqual({ default: 'one', models: [{ id: 'one', context: 1000 }, { id: 'two' }] })
    const more = await running.json('GET', '/api/models?also=three')
    expect(more.body.models.at(-1)).toEqual({ id: 'three' })
  } finally {
    await running.close()
  }
})

it.each(['openai-chat', 'anthropic-messages'])(
  'a session of the chat wire can be watched as the %s wire sends it, and continued behind every record',
  async wire => {
    const running = await startServer()
    try {
      const session_id = await running.newSession()
      await readFrames(await running.chat({ session_id, message: 'echo hi' }))
      await readFrames(await running.chat({ session_id, message: 'echo again' }))
      const url = `${running.url}/api/sessions/${session_id}/events?wire=${wire}`
      const whole = await framesOf(await fetch(url))
      const ends = wire === 'openai-chat' ? '[DONE]' : 'event: message_stop'
      expect(whole.filter(frame => frame.includes(ends))).toHaveLength(2)
      for (const [i, frame] of whole.entries()) {
        const id = /^id: (.+)$/m.exec(frame)?.[1]
        if (id === undefined || i === whole.length - 1) continue
        const rest = await fetch(url, { headers: { 'last-event-id': id } })
        expect(await framesOf(rest)).toEqual(whole.slice(i + 1))
      }
    } finally {
      await running.close()
    }
  },
)

/** Events as they were sent, without what is said to the connection alone. */
const framesOf = async (answer: Response): Promise<readonly string[]> =>
  (await answer.text())
    .trim()
    .split('\n\n')
    .filter(frame => frame.includes('data: '))
