/**
 * A response in a given format from models without a setting for it: they must call a hidden tool whose arguments
 * are the response. Pure.
 */
import type { ModelPart, ModelRequest } from '@toolwire/core'
import { isObject, type JsonObject } from '@toolwire/core'
import type { Capability } from '../capabilities.ts'
import type { MessagesBody, ToolChoiceParam, ToolDefinition } from './schema.ts'

const NAME = 'json_answer'
const ASKED =
  'Gives the final answer. Call it once, when everything is known, with the answer as its arguments.'

/** The tool whose arguments are the answer; undefined when the model needs none, or none was asked for. */
export function jsonAnswerTool(
  request: ModelRequest,
  capability: Capability | undefined,
): ToolDefinition | undefined {
  const schema = answerSchema(request)
  if (schema === undefined || capability?.strict !== false) return undefined
  const taken = new Set(request.tools.map(tool => tool.name))
  let name = NAME
  for (let n = 2; taken.has(name); n++) name = `${NAME}_${n}`
  return { name, description: ASKED, input_schema: schema }
}

/** Only an object can be the arguments of a call. */
function answerSchema({ options }: ModelRequest): JsonObject | undefined {
  const format = options?.['response_format']
  if (!isObject(format) || format['type'] !== 'json_schema' || !isObject(format['json_schema']))
    return undefined
  const schema = format['json_schema']['schema']
  return isObject(schema) && schema['type'] === 'object' ? schema : undefined
}

/**
 * The body with the tool added. The call is forced, unless other tools may be called first or the model thinks,
 * which forbids force: then a text asks for it.
 */
export function withJsonAnswer(body: MessagesBody, tool: ToolDefinition | undefined): MessagesBody {
  if (!tool) return body
  const { output_config, tool_choice: choice, ...rest } = body
  const { format: _, ...config } = output_config ?? {}
  const thinks = body.thinking !== undefined && body.thinking['type'] !== 'disabled'
  const told = { type: 'text', text: `Give your final answer by calling the tool ${tool.name}.` } as const
  return {
    ...rest,
    ...(Object.keys(config).length > 0 ? { output_config: config } : {}),
    ...(thinks ? { system: [...(body.system ?? []), told] } : {}),
    tools: [...(body.tools ?? []), tool],
    tool_choice: thinks ? { type: 'auto' } : toChoice(choice, tool.name, (body.tools ?? []).length > 0),
  }
}

function toChoice(choice: ToolChoiceParam | undefined, name: string, hasOthers: boolean): ToolChoiceParam {
  if (choice?.type === 'tool') return choice
  if (!hasOthers || choice?.type === 'none') return { type: 'tool', name, disable_parallel_tool_use: true }
  const single = choice?.disable_parallel_tool_use ? { disable_parallel_tool_use: true } : {}
  return { type: 'any', ...single }
}

/**
 * Returns the arguments of the tool as the response text. Text that leads up to it is dropped; other text and
 * calls are passed on, the text as soon as that is known.
 */
export async function* unwrapJsonAnswer(
  parts: AsyncIterable<ModelPart>,
  tool: ToolDefinition,
): AsyncGenerator<ModelPart, void, void> {
  const hidden = new Set<number>()
  let words: ModelPart[] = []
  let texts = new Set<number>()
  let calls = 0
  for await (const part of parts) {
    if (part.type === 'block-start' && part.kind === 'text') texts.add(part.index)
    if ('index' in part && texts.has(part.index)) {
      words.push(part)
      continue
    }
    if (part.type === 'block-start' && part.kind === 'tool_use') {
      const isAnswer = part.tool?.name === tool.name
      if (isAnswer) {
        words = []
        hidden.add(part.index)
      } else calls += 1
    }
    if (part.type !== 'start') {
      yield* words
      words = []
      texts = new Set()
    }
    yield shown(part, hidden, calls)
  }
}

function shown(part: ModelPart, hidden: ReadonlySet<number>, calls: number): ModelPart {
  if (part.type === 'end' && hidden.size > 0 && calls === 0 && part.finish === 'tool_calls')
    return { ...part, finish: 'stop', stop_reason: 'end_turn' }
  if (!('index' in part) || !hidden.has(part.index)) return part
  if (part.type === 'block-start') return { type: 'block-start', index: part.index, kind: 'text' }
  return part.type === 'block-delta'
    ? { type: 'block-delta', index: part.index, text: part.input_text ?? '' }
    : part
}
