/** One way to ask a server for a call of `echo` whose arguments stream: how to ask, and where the arguments are. */
import { AG_UI, AI_SDK, CHAT, MASTRA, RESPONSES, type Road, THREAD, UI_MESSAGES } from './road.ts'

export interface CallRoad {
  readonly name: string
  /** The model name that routes the request to the wanted provider. */
  readonly model: string
  /** Makes what must be there before; the returned function asks and gives the whole answer as text. */
  readonly open: (url: string, model: string) => Promise<() => Promise<string>>
  /** The arguments in an answer, piece by piece. */
  readonly pieces: (answer: string) => readonly string[]
}

const PARAMETERS = { type: 'object', properties: { data: { type: 'string' } } }
const ECHO = { name: 'echo', description: 'Echo' }
const MESSAGES_TOOLS = [{ ...ECHO, input_schema: PARAMETERS }]
const RESPONSES_TOOLS = [{ type: 'function', ...ECHO, parameters: PARAMETERS }]
const COMPLETION_TOOLS = [{ type: 'function', function: { ...ECHO, parameters: PARAMETERS } }]

/** Strings after `before`, decoded. One pass, for any length. */
const stringsBehind = (before: string): CallRoad['pieces'] => {
  const found = new RegExp(`${before}("[^"\\\\]*(?:\\\\.[^"\\\\]*)*")`, 'g')
  return answer => [...answer.matchAll(found)].map(match => JSON.parse(match[1] ?? '""') as string)
}

const PARTIAL_JSON = stringsBehind('"partial_json":')
const ARGUMENTS = stringsBehind('"arguments":')
const UI_DELTA = stringsBehind('"inputTextDelta":')

async function post(url: string, road: Road, body: object): Promise<string> {
  const response = await fetch(`${url}${road.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...road.headers },
    body: JSON.stringify(body),
  })
  return await response.text()
}

/** `road` with `more` in its body. */
const callsOf = (road: Road, pieces: CallRoad['pieces'], more: object = {}): CallRoad => ({
  name: road.name,
  model: road.model,
  pieces,
  async open(url, model) {
    const session = await road.prepare?.(url, model)
    return () => post(url, road, { ...road.body(model, session), ...more })
  },
})

/** In front of each provider. */
const inFront = (road: CallRoad): readonly CallRoad[] => [
  { ...road, name: `${road.name} → Anthropic`, model: 'claude-bench' },
  { ...road, name: `${road.name} → OpenAI`, model: 'gpt-bench' },
]

export const CHAT_CALLS = inFront(callsOf(CHAT, PARTIAL_JSON))

/** This wire sends arguments whole, when the call is ready. */
export const THREAD_CALLS = inFront(callsOf(THREAD, stringsBehind('"type":"tool.call"[^\\n]*?"arguments":')))

/** The log itself, followed while the answer is written. */
export const CANONICAL_CALLS = inFront({
  name: 'canonical wire',
  model: CHAT.model,
  pieces: stringsBehind('"type":"block.delta"[^\\n]*?"input_text":'),
  async open(url, model) {
    const session = await CHAT.prepare?.(url, model)
    return async () => {
      const posted = await fetch(`${url}${CHAT.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(CHAT.body(model, session)),
      })
      // Only who follows the log reads; the answer to the message is left.
      await posted.body?.cancel()
      return await (await fetch(`${url}/api/sessions/${session}/events?wire=canonical`)).text()
    }
  },
})

/** The wires of front ends. */
export const FRONT_END_CALLS: readonly CallRoad[] = [
  ...inFront(callsOf(AI_SDK, UI_DELTA)),
  ...inFront(callsOf(AG_UI, stringsBehind('"type":"TOOL_CALL_ARGS"[^\\n]*?"delta":'))),
]

export const RESPONSES_CALLS = inFront(
  callsOf(RESPONSES, stringsBehind('"type":"response.function_call_arguments.delta"[^\\n]*?"delta":'), {
    tools: RESPONSES_TOOLS,
  }),
)

/** A route of Claude's API, with the tool in its body. */
export const messagesCalls = (road: Road): CallRoad => callsOf(road, PARTIAL_JSON, { tools: MESSAGES_TOOLS })

/** A route of OpenAI's API, with the tool in its body. */
export const completionCalls = (road: Road): CallRoad => callsOf(road, ARGUMENTS, { tools: COMPLETION_TOOLS })

export const UI_MESSAGE_CALLS = callsOf(UI_MESSAGES, UI_DELTA)

export const MASTRA_CALLS = callsOf(MASTRA, stringsBehind('"argsTextDelta":'))
