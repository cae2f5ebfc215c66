/**
 * The model of a session in which a person tries one tool: it makes that call and says nothing more.
 * So a tried call passes every check, question and limit that a model's call passes.
 */
import {
  type Model,
  type ModelPart,
  type ModelRequest,
  NO_USAGE,
  TRY_MODEL,
  TRY_OPTION,
} from '@toolwire/core'

export const tryModel: Model = {
  provider: 'toolwire',
  id: TRY_MODEL,
  async *stream(request) {
    yield { type: 'start', provider_message_id: 'try', model: TRY_MODEL }
    const call = callOf(request)
    // Once: when its result is there, all is said.
    if (call && request.messages.at(-1)?.role !== 'tool') yield* toParts(call)
    else yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage: NO_USAGE }
  },
}

interface TriedCall {
  readonly name: string
  readonly input: unknown
}

function callOf({ options }: ModelRequest): TriedCall | undefined {
  const call = options?.[TRY_OPTION] as Partial<TriedCall> | undefined
  return typeof call?.name === 'string' ? { name: call.name, input: call.input ?? {} } : undefined
}

function* toParts({ name, input }: TriedCall): Generator<ModelPart> {
  yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: '', name } }
  yield { type: 'block-delta', index: 0, input_text: JSON.stringify(input) }
  yield { type: 'block-end', index: 0 }
  yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage: NO_USAGE }
}
