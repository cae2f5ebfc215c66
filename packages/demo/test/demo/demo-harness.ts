/** What the demo tests share: offered tools, requests, and a reader that folds a stream back into a message. */
import type { HistoryMessage, Model, ModelPart, ModelRequest, ToolSpec } from '@toolwire/core'
import { createDemoModel } from '../../src/demo/demo-model.ts'

const text = { type: 'string' }
const number = { type: 'number' }
const tool = (
  name: string,
  properties: Record<string, unknown>,
  required = Object.keys(properties),
  description = '',
): ToolSpec => ({
  name,
  description,
  input_schema: { type: 'object', properties, required, additionalProperties: false },
})

export const BUILTIN: readonly ToolSpec[] = [
  tool('Bash', { command: text, description: text, timeout: number }, ['command']),
  tool('Read', { file_path: text, offset: number, limit: number }, ['file_path']),
  tool('Grep', { pattern: text, path: text, output_mode: { type: 'string', enum: ['content', 'count'] } }, [
    'pattern',
  ]),
  tool('Glob', { pattern: text, path: text }, ['pattern']),
  tool('LS', { path: text }),
  tool('Write', { file_path: text, content: text }),
  tool('Edit', { file_path: text, old_string: text, new_string: text }),
  tool('Clock', {}),
  tool('MemoryWrite', { file_path: text, content: text }),
  tool('WebSearch', { query: text }),
]
export const CLIENT: readonly ToolSpec[] = [
  tool('set_temperature', { value: number }, undefined, 'Set the sampling temperature'),
  tool('set_model', { model: text }, undefined, '設定模型'),
  tool(
    'set_theme',
    { theme: { type: 'string', enum: ['light', 'dark'] } },
    undefined,
    'Change the theme of the page',
  ),
  tool('scroll_to_section', { section: text }, undefined, 'Scroll the page'),
  tool(
    'get_weather',
    { city: text, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    ['city'],
    'Weather of a city',
  ),
  tool(
    'send_email',
    { to: { type: 'string', format: 'email' }, subject: text, urgent: { type: 'boolean' } },
    ['to', 'subject'],
    'Send an email',
  ),
]
export const named = (...names: string[]): readonly ToolSpec[] =>
  [...BUILTIN, ...CLIENT].filter(spec => names.includes(spec.name))

export const user = (said: string): HistoryMessage => ({
  role: 'user',
  content: [{ type: 'text', text: said }],
})

export const ask = (said: string, extra: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'demo',
  messages: [user(said)],
  tools: BUILTIN,
  ...extra,
})

export async function partsOf(
  request: ModelRequest,
  model: Model = createDemoModel({ paceMs: 0 }),
): Promise<ModelPart[]> {
  const parts: ModelPart[] = []
  for await (const part of model.stream(request, new AbortController().signal)) parts.push(part)
  return parts
}

export interface ReadMessage {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input_text: string }[]
  readonly stop_reason: string | undefined
  readonly error: string | undefined
}

export function readMessage(parts: readonly ModelPart[]): ReadMessage {
  const deltas = parts.filter(part => part.type === 'block-delta')
  const joined = (index: number) =>
    deltas
      .filter(part => part.index === index)
      .map(part => part.text ?? part.input_text ?? part.thinking ?? '')
      .join('')
  const blocks = parts.filter(part => part.type === 'block-start')
  const ofKind = (kind: string) =>
    blocks
      .filter(block => block.kind === kind)
      .map(block => joined(block.index))
      .join('')
  const end = parts.find(part => part.type === 'end')
  const error = parts.find(part => part.type === 'error')
  return {
    text: ofKind('text'),
    thinking: ofKind('thinking'),
    calls: blocks.flatMap(block => (block.tool ? [{ ...block.tool, input_text: joined(block.index) }] : [])),
    stop_reason: end?.stop_reason,
    error: error?.error.code,
  }
}

export const read = async (request: ModelRequest, model?: Model): Promise<ReadMessage> =>
  readMessage(await partsOf(request, model))

/** Calls as `[name, input]`. */
export const callsOf = (message: ReadMessage): readonly [string, unknown][] =>
  message.calls.map(call => [call.name, JSON.parse(call.input_text)])

export type Answerer = (name: string, input: unknown, nth: number) => string | { readonly error: string }

/** The request after the model's calls were answered. */
function answered(request: ModelRequest, message: ReadMessage, answer: Answerer): ModelRequest {
  const messages: HistoryMessage[] = [
    ...request.messages,
    {
      role: 'assistant',
      message_id: `m${request.messages.length}`,
      provider: 'demo',
      model: 'demo',
      content: message.calls.map(call => ({
        type: 'tool_use',
        call_id: call.id,
        name: call.name,
        input_text: call.input_text,
      })),
    },
    {
      role: 'tool',
      results: message.calls.map((call, nth) => {
        const made = answer(call.name, parsed(call.input_text), nth)
        const is_error = typeof made !== 'string'
        return {
          type: 'tool_result',
          call_id: call.id,
          name: call.name,
          output_text: is_error ? made.error : made,
          content: [],
          is_error,
        }
      }),
    },
  ]
  return { ...request, messages }
}

/** Plays the tool loop to its end; throws when it does not end. */
export async function converse(
  request: ModelRequest,
  answer: Answerer,
  model?: Model,
): Promise<{ readonly rounds: ReadMessage[]; readonly last: ReadMessage }> {
  const rounds: ReadMessage[] = []
  for (let at = request; rounds.length < 20; ) {
    const message = await read(at, model)
    rounds.push(message)
    if (message.calls.length === 0) return { rounds, last: message }
    at = answered(at, message, answer)
  }
  throw new Error('the model never stops calling tools')
}

/** What is wrong with a stream; empty when it is legal. */
export function faultsOf(parts: readonly ModelPart[]): readonly string[] {
  const faults: string[] = []
  const isClosing = (part: ModelPart) => part.type === 'end' || part.type === 'error'
  if (parts[0]?.type !== 'start') faults.push('does not begin with start')
  if (parts.filter(part => part.type === 'start').length !== 1) faults.push('not exactly one start')
  if (parts.filter(isClosing).length !== 1 || !parts.slice(-1).every(isClosing))
    faults.push('not exactly one end, at the end')
  let open: number | undefined
  let next = 0
  for (const part of parts) {
    if (part.type === 'block-start') {
      if (open !== undefined || part.index !== next) faults.push(`block ${part.index} starts out of order`)
      open = part.index
      next += 1
    }
    if (part.type === 'block-delta' && part.index !== open)
      faults.push(`delta for block ${part.index}, open is ${open}`)
    if (part.type === 'block-end') {
      if (part.index !== open) faults.push(`end of block ${part.index}, open is ${open}`)
      open = undefined
    }
    if (part.type === 'end' && open !== undefined) faults.push(`block ${open} never ends`)
  }
  return faults
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
