/**
 * CPU of the product's own client for a recorded session: frames arrive one by one, as reads of a connection, and
 * a subscriber reads the arguments so far. Arguments: a file of frames, and the number of characters of the call.
 * Prints a `ClientReport`.
 */
import { readFileSync } from 'node:fs'
import { createClient } from '@toolwire/client'

/** The last line that the program of a client prints. */
export interface ClientReport {
  readonly ms: number
}

const [file = '', chars = ''] = process.argv.slice(2)
const frames = (JSON.parse(readFileSync(file, 'utf8')) as readonly string[]).map(text => Buffer.from(text))

/** Stays open at its end, as the log of a session does. */
const body = (): ReadableStream<Uint8Array> => {
  let at = 0
  return new ReadableStream({
    async pull(controller) {
      await new Promise(resolve => setImmediate(resolve))
      const frame = frames[at++]
      if (frame) controller.enqueue(frame)
      else await new Promise(() => {})
    },
  })
}

const started = process.cpuUsage()
const client = createClient({
  baseUrl: 'http://recorded',
  fetch: async () =>
    new Response(body(), { headers: { 'content-type': 'text/event-stream', 'x-session-head': '1' } }),
})
const session = client.session('recorded')
let seen = 0
const leave = session.subscribe(() => {
  const call = [...session.getSnapshot().view.calls.values()][0]
  const said = call?.peek?.fields.find(({ key }) => key === 'data')?.value ?? call?.input_text
  // A renderer reads the characters of a text, not only its length.
  if (typeof said === 'string' && !Number.isNaN(said.charCodeAt(said.length - 1))) seen = said.length
})
const { view } = await session.until(
  snapshot => snapshot.view.head >= frames.length && snapshot.view.phase === 'idle',
)
const { user, system } = process.cpuUsage(started)
const text = [...view.calls.values()][0]?.input_text ?? ''
if (text.length !== Number(chars)) throw new Error(`${text.length} of ${chars} characters`)
if (seen === 0) throw new Error('no reader saw the arguments')
process.stdout.write(`${JSON.stringify({ ms: (user + system) / 1000 } satisfies ClientReport)}\n`)
leave()
client.close()
process.exit(0)
