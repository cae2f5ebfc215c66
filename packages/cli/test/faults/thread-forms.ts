/** The thread wire: streamed, whole, and prepared for a browser's EventSource. */
import {
  type Asked,
  events,
  type Got,
  json,
  type Loose,
  parsed,
  refusal,
  toInput,
  type Used,
  type Wire,
} from './http-form.ts'

const toUsed = (usage: Loose): Used | undefined =>
  usage && { input: usage.input_tokens, output: usage.output_tokens }

const threadBody = ({ text, model, session: thread_id, tools, limits, results }: Asked) =>
  results
    ? {
        thread_id,
        tool_outputs: results.map(({ id, output }) => ({ call_id: id, output: JSON.stringify(output) })),
      }
    : { input: text, model, thread_id, tools, ...limits }

export const threadStream: Wire = async asked =>
  await readStream(asked, await json(`${asked.url}/v4/response`, { ...threadBody(asked), stream: true }))

/** The message is stored first, and sent when its response is read. Only a message can be prepared. */
export const threadPrepared: Wire = async asked => {
  if (asked.results) return await threadStream(asked)
  const prepared = await json(`${asked.url}/v4/prepare`, threadBody(asked))
  if (prepared.status !== 200) return await refusal(prepared, asked.session)
  const { run_token } = (await prepared.json()) as Loose
  return await readStream(asked, await fetch(`${asked.url}/v4/response/${run_token}`))
}

async function readStream({ session }: Asked, response: Response): Promise<Got> {
  if (response.status !== 200) return await refusal(response, session)
  const frames = await events(response)
  const of = (name: string): readonly Loose[] => parsed(frames.filter(frame => frame.event === name))
  const [completed, paused, error] = ['completed', 'paused', 'error'].map(
    name => of(`conversation.${name}`)[0],
  )
  const pending: readonly Loose[] = paused?.pending_tools ?? []
  const texts = of('text.completed').map(one => one.content)
  return {
    session: String((completed ?? paused ?? error)?.thread_id ?? session ?? ''),
    status: response.status,
    text: completed && completed.status !== 'with_errors' ? texts.join('') : '',
    calls: pending.map(one => [one.name, toInput(one.arguments)]),
    ids: pending.map(one => one.call_id),
    usage: toUsed((completed ?? paused)?.token_usage),
    error: error?.error_code,
    message: error?.message,
    isWhole: completed !== undefined || paused !== undefined,
    warnings: of('conversation.data').flatMap(one => one.warnings ?? []),
  }
}

export const threadWhole: Wire = async asked => {
  const { session } = asked
  const response = await json(`${asked.url}/v4/response`, threadBody(asked))
  if (response.status !== 200) {
    const got = await refusal(response.clone() as Response, session)
    const body = (await response.json()) as Loose
    const thread = String(body.thread_id ?? body.error?.details?.thread_id ?? session ?? '')
    return { ...got, session: thread, usage: toUsed(body.token_usage) }
  }
  const body = (await response.json()) as Loose
  return {
    session: String(body.thread_id),
    status: response.status,
    text: (body.outputs ?? []).map((one: Loose) => one.text ?? '').join(''),
    calls: (body.pending_tools ?? []).map((one: Loose) => [one.name, toInput(one.arguments)]),
    ids: (body.pending_tools ?? []).map((one: Loose) => one.call_id),
    usage: toUsed(body.token_usage),
    error: undefined,
    isWhole: true,
    warnings: [],
  }
}
