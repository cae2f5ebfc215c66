/**
 * A model for agents of any make: it reads one file with whatever reading tool the request brings,
 * and then says what the tool found. Requests without such a tool (titles, summaries) get a word.
 */
import type { Model, ModelPart, ModelRequest, ToolSpec, Usage } from '@toolwire/core'

const USAGE: Usage = { input: 10, output: 5, cache_read: 0, cache_write: 0, reasoning: 0 }

export interface ReadingModel extends Model {
  /** Every request so far, oldest first. */
  readonly requests: readonly ModelRequest[]
}

export function createReadingModel(file: string): ReadingModel {
  const requests: ModelRequest[] = []
  return {
    provider: 'anthropic',
    id: 'demo',
    requests,
    async *stream(request) {
      requests.push(request)
      yield { type: 'start', provider_message_id: `p_${requests.length}`, model: 'demo' }
      yield* script(request, file, requests.length)
    },
  }
}

function* script(request: ModelRequest, file: string, n: number): Generator<ModelPart> {
  const found = lastResults(request)
  const tool = request.tools.find(one => /^(read|read_file|readfile)$/i.test(one.name))
  if (found !== undefined || !tool) {
    yield { type: 'block-start', index: 0, kind: 'text' }
    yield { type: 'block-delta', index: 0, text: found === undefined ? 'A title' : `It says: ${found}` }
    yield { type: 'block-end', index: 0 }
    yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage: USAGE }
    return
  }
  const input_text = JSON.stringify({ [pathField(tool)]: file })
  yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: `toolu_${n}`, name: tool.name } }
  for (const piece of [input_text.slice(0, 7), input_text.slice(7)])
    yield { type: 'block-delta', index: 0, input_text: piece }
  yield { type: 'block-end', index: 0 }
  yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage: USAGE }
}

/** The text of the latest results; undefined if the latest message is none. */
function lastResults(request: ModelRequest): string | undefined {
  const last = request.messages.findLast(message => message.role !== 'system')
  return last?.role === 'tool' ? last.results.map(result => result.output_text).join(' | ') : undefined
}

function pathField(tool: ToolSpec): string {
  const properties = tool.input_schema['properties']
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  return names.find(name => /path|file/i.test(name)) ?? 'path'
}
