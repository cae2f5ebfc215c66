/** The vendors' wires: Chat Completions and the Messages API, streamed and whole. */
import {
  type Answered,
  type Asked,
  countApart,
  events,
  json,
  type Loose,
  parsed,
  refusal,
  toInput,
  type Used,
  type Wire,
} from './http-form.ts'

const completionBody = ({ text, model, tools, more, said = '', results = [] }: Asked, stream: boolean) => ({
  ...more,
  model,
  stream,
  ...(stream ? { stream_options: { include_usage: true } } : {}),
  messages: [
    { role: 'user', content: text },
    ...(results.length > 0
      ? [{ role: 'assistant', content: said, tool_calls: results.map(toToolCall) }]
      : []),
    ...results.map(({ id, output }) => ({ role: 'tool', tool_call_id: id, content: output })),
  ],
  tools: tools?.map(({ name, input_schema }) => ({
    type: 'function',
    function: { name, parameters: input_schema },
  })),
})

const toToolCall = ({ id, name, written }: Answered) => ({
  id,
  type: 'function',
  function: { name, arguments: written },
})

const toUsed = (usage: Loose): Used | undefined =>
  usage && { input: usage.prompt_tokens, output: usage.completion_tokens }

/** What these wires take as headers, since their bodies are the vendors'. */
const headersOf = ({ session, limits = {} }: Asked): Record<string, string> => ({
  ...(session ? { 'x-session-id': session } : {}),
  ...Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [`x-${name.replaceAll('_', '-')}`, String(value)]),
  ),
})

export const openaiStream: Wire = async asked => {
  const url = `${asked.url}/v1/chat/completions`
  const response = await json(url, completionBody(asked, true), headersOf(asked))
  const session = response.headers.get('x-session-id') ?? asked.session ?? ''
  if (response.status !== 200) return await refusal(response, session)
  const frames = await events(response)
  const chunks = parsed(frames)
  const error = chunks.find(chunk => chunk.error)?.error
  const calls: Loose[] = []
  for (const one of chunks.flatMap(chunk => chunk.choices?.[0]?.delta?.tool_calls ?? [])) {
    calls[one.index] ??= { id: '', name: '', arguments: '' }
    calls[one.index].id += one.id ?? ''
    calls[one.index].name += one.function.name ?? ''
    calls[one.index].arguments += one.function.arguments ?? ''
  }
  const isWhole = frames.at(-1)?.data === '[DONE]'
  return {
    session,
    status: 200,
    text: isWhole ? chunks.map(chunk => chunk.choices?.[0]?.delta?.content ?? '').join('') : '',
    calls: calls.map(one => [one.name, toInput(one.arguments)]),
    ids: calls.map(one => one.id),
    written: calls.map(one => one.arguments),
    usage: toUsed(chunks.findLast(chunk => chunk.usage)?.usage),
    error: error?.code,
    message: error?.message,
    isWhole,
    warnings: chunks.flatMap(chunk => chunk.warnings ?? []),
  }
}

export const openaiWhole: Wire = async asked => {
  const url = `${asked.url}/v1/chat/completions`
  const response = await json(url, completionBody(asked, false), headersOf(asked))
  const session = response.headers.get('x-session-id') ?? asked.session ?? ''
  if (response.status !== 200) return await refusal(response, session)
  const body = (await response.json()) as Loose
  const { message, finish_reason } = body.choices[0]
  return {
    session,
    status: 200,
    text: message.content ?? '',
    calls: (message.tool_calls ?? []).map((one: Loose) => [
      one.function.name,
      toInput(one.function.arguments),
    ]),
    ids: (message.tool_calls ?? []).map((one: Loose) => one.id),
    written: (message.tool_calls ?? []).map((one: Loose) => one.function.arguments),
    usage: toUsed(body.usage),
    isWhole: finish_reason !== null,
    warnings: body.warnings ?? [],
  }
}

const messagesBody = ({ text, model, tools, more, said = '', results = [] }: Asked, stream: boolean) => ({
  ...more,
  model,
  stream,
  max_tokens: 1000,
  messages: [
    { role: 'user', content: text },
    ...(results.length > 0
      ? [
          { role: 'assistant', content: [{ type: 'text', text: said }, ...results.map(toToolUse)] },
          { role: 'user', content: results.map(toToolResult) },
        ]
      : []),
  ],
  tools,
})

const toToolUse = ({ id, name, input }: Answered) => ({ type: 'tool_use', id, name, input })
const toToolResult = ({ id, output }: Answered) => ({ type: 'tool_result', tool_use_id: id, content: output })

export const anthropicStream: Wire = async asked => {
  const headers = { 'anthropic-version': '2023-06-01', ...headersOf(asked) }
  const response = await json(`${asked.url}/v1/messages`, messagesBody(asked, true), headers)
  const session = response.headers.get('x-session-id') ?? asked.session ?? ''
  if (response.status !== 200) return await refusal(response, session)
  const frames = parsed(await events(response))
  const error = frames.find(frame => frame.type === 'error')?.error
  const starts = frames.filter(frame => frame.type === 'content_block_start')
  const said = (index: number, field: string): string =>
    frames
      .filter(frame => frame.type === 'content_block_delta' && frame.index === index)
      .map(frame => frame.delta[field] ?? '')
      .join('')
  const uses = starts.filter(start => start.content_block.type === 'tool_use')
  const isWhole = frames.at(-1)?.type === 'message_stop'
  return {
    session,
    status: 200,
    text: isWhole ? starts.map(start => said(start.index, 'text')).join('') : '',
    calls: uses.map(start => [start.content_block.name, toInput(said(start.index, 'partial_json'))]),
    ids: uses.map(start => start.content_block.id),
    usage: countApart(frames.find(frame => frame.type === 'message_delta')?.usage),
    error: error?.type,
    message: error?.message,
    isWhole,
    warnings: frames.flatMap(frame => frame.warnings ?? []),
  }
}

export const anthropicWhole: Wire = async asked => {
  const headers = { 'anthropic-version': '2023-06-01', ...headersOf(asked) }
  const response = await json(`${asked.url}/v1/messages`, messagesBody(asked, false), headers)
  const session = response.headers.get('x-session-id') ?? asked.session ?? ''
  if (response.status !== 200) return await refusal(response, session)
  const body = (await response.json()) as Loose
  const uses: readonly Loose[] = body.content.filter((block: Loose) => block.type === 'tool_use')
  return {
    session,
    status: 200,
    text: body.content.map((block: Loose) => block.text ?? '').join(''),
    calls: uses.map(block => [block.name, block.input]),
    ids: uses.map(block => block.id),
    usage: countApart(body.usage),
    isWhole: body.stop_reason !== null,
    warnings: body.warnings ?? [],
  }
}
