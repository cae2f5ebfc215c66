/** The product's own wires: the chat stream, and the log itself. */
import {
  type Asked,
  countApart,
  events,
  type Got,
  json,
  type Loose,
  parsed,
  refusal,
  sessionFor,
  toInput,
} from './http-form.ts'
import { ends, readLog, usageOfRun } from './read-log.ts'

const chatBody = ({ text, model, tools, limits, results }: Asked, session_id: string) =>
  results
    ? { session_id, tool_outputs: results.map(({ id, output }) => ({ tool_use_id: id, output })) }
    : { session_id, message: text, model, tools, ...limits }

export async function chat(asked: Asked): Promise<Got> {
  const { id = '', refused } = await sessionFor(asked)
  if (refused) return await refusal(refused)
  const { url } = asked
  const body = chatBody(asked, id)
  const response = await json(`${url}/api/chat/stream`, body)
  if (response.status !== 200) return await refusal(response, id)
  const frames = parsed(await events(response))
  const result = frames.find(frame => frame.type === 'result')?.data
  const error = frames.find(frame => frame.type === 'error')
  const pending: readonly Loose[] = frames.find(frame => frame.type === 'paused')?.pending_tools ?? []
  return {
    session: id,
    status: response.status,
    text: result?.subtype === 'success' ? result.result : '',
    calls: pending.map(one => [one.name, one.input]),
    ids: pending.map(one => one.tool_use_id),
    usage: countApart(result?.usage),
    error: error?.code,
    message: error?.error,
    isWhole: frames.at(-1)?.type === 'done',
    warnings: frames.flatMap(frame => frame.data?.warnings ?? []),
  }
}

/** The log itself, as GET …/events sends it after the message was appended through the chat route. */
export async function canonical(asked: Asked): Promise<Got> {
  const { id = '', refused } = await sessionFor(asked)
  if (refused) return await refusal(refused)
  const { url } = asked
  const before = asked.session === undefined ? 0 : ends(await readLog(url, id)).length
  const sent = await json(`${url}/api/chat/stream`, chatBody(asked, id))
  if (sent.status !== 200) return await refusal(sent, id)
  const leave = new AbortController()
  const { signal } = leave
  const response = await fetch(`${url}/api/sessions/${id}/events?wire=canonical&after=0`, { signal })
  const seen: Loose[] = []
  let end: Loose
  for await (const event of live(response)) {
    seen.push(event)
    end = ends(seen)[before]
    if (end) break
  }
  leave.abort()
  await sent.text()
  return {
    session: id,
    status: response.status,
    text: end?.type === 'run.completed' ? end.result_text : '',
    calls: (end?.pending ?? []).map((one: Loose) => [one.name, toInput(one.input_text)]),
    ids: (end?.pending ?? []).map((one: Loose) => one.call_id),
    usage: usageOfRun(seen, end?.run_id),
    error: end?.error?.code,
    message: end?.error?.message,
    isWhole: end !== undefined,
    warnings: seen.flatMap(one => (one.type === 'message.started' ? (one.warnings ?? []) : [])),
  }
}

async function* live(response: Response): AsyncGenerator<Loose> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk as Uint8Array, { stream: true })
    const frames = rest.split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const line = frame.split('\n').find(one => one.startsWith('data: '))
      if (line) yield JSON.parse(line.slice(6))
    }
  }
}
