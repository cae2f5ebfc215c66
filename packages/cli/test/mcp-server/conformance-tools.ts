/** The tools that the conformance suite calls by name and that a session can run: real calls of the product. */
import { type Model, type ModelPart, NO_USAGE, type Tool, type ToolOutcome, TRY_OPTION } from '@toolwire/core'
import { defineTool, tryModel } from '@toolwire/tools'
import { z } from 'zod'

export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=='

const returning = (name: string, outcome: ToolOutcome): Tool =>
  defineTool({
    name,
    description: name,
    input: z.strictObject({}),
    isReadOnly: () => true,
    async *call() {
      yield { type: 'result', ...outcome }
    },
  })

const media = (type: 'image' | 'audio', media_type: string, data: string): ToolOutcome => ({
  output_text: '',
  content: [{ type, source: { type: 'base64', media_type, data } }],
})

export const CONFORMANCE_TOOLS: readonly Tool[] = [
  returning('test_simple_text', { output_text: 'This is a simple text response for testing.' }),
  returning('test_image_content', media('image', 'image/png', PNG)),
  returning('test_audio_content', media('audio', 'audio/wav', WAV)),
  returning('test_error_handling', {
    output_text: 'This tool intentionally returns an error for testing',
    is_error: true,
  }),
  defineTool({
    name: 'test_tool_with_progress',
    description: 'Reports progress',
    input: z.strictObject({}),
    isReadOnly: () => true,
    async *call() {
      for (const progress of [0, 50, 100]) yield { type: 'progress', progress, total: 100 }
      yield { type: 'result', output_text: 'done' }
    },
  }),
]

/** Runs for so long, or until it is cancelled. */
const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true })
  })

const CONFIRM = {
  message: 'Continue?',
  schema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
}

/** A tool that asks a person before it ends. */
const asking = (name: string): Tool =>
  defineTool({
    name,
    description: name,
    input: z.looseObject({}),
    isReadOnly: () => true,
    async *call(_, { answered }) {
      if (answered) yield { type: 'result', output_text: `answered: ${answered.text}` }
      else yield { type: 'suspended', question: CONFIRM }
    },
  })

/** The model fails instead of calling it. */
const BROKEN_TOOL = 'protocol_error_job'
/** Called twice at once. */
const PARALLEL_TOOL = 'multi_input'

/** The model of calls of the MCP server, with these two exceptions. */
export const conformanceModel: Model = {
  provider: 'test',
  id: 'test',
  stream(request, signal) {
    const { name } = Object(request.options?.[TRY_OPTION])
    if (request.messages.at(-1)?.role !== 'tool' && name === BROKEN_TOOL) return breakDown(signal)
    if (request.messages.at(-1)?.role !== 'tool' && name === PARALLEL_TOOL) return callTwice()
    return tryModel.stream(request, signal)
  },
}

async function* breakDown(signal: AbortSignal): AsyncGenerator<ModelPart> {
  // Longer than a call that is no task.
  await sleep(1000, signal)
  yield { type: 'error', error: { code: 'model_error', message: 'It broke.', retryable: false } }
}

async function* callTwice(): AsyncGenerator<ModelPart> {
  yield { type: 'start', provider_message_id: 'two', model: 'test' }
  for (const index of [0, 1]) {
    yield { type: 'block-start', index, kind: 'tool_use', tool: { id: '', name: PARALLEL_TOOL } }
    yield { type: 'block-delta', index, input_text: JSON.stringify({ index }) }
    yield { type: 'block-end', index }
  }
  yield { type: 'end', stop_reason: 'tool_use', finish: 'tool_calls', usage: NO_USAGE }
}

/** The tools of the scenarios about tasks. */
export const TASK_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'greet',
    description: 'Greets',
    input: z.strictObject({ name: z.string() }),
    isReadOnly: () => true,
    async *call({ name }) {
      yield { type: 'result', output_text: `Hello, ${name}!` }
    },
  }),
  defineTool({
    name: 'slow_compute',
    description: 'Takes some seconds',
    input: z.strictObject({ seconds: z.number(), label: z.string() }),
    isReadOnly: () => true,
    async *call({ seconds, label }, { signal }) {
      await sleep(seconds * 1000, signal)
      yield { type: 'result', output_text: label }
    },
  }),
  defineTool({
    name: 'failing_job',
    description: 'Fails after a second',
    input: z.strictObject({}),
    isReadOnly: () => true,
    async *call(_, { signal }) {
      await sleep(1000, signal)
      yield { type: 'result', output_text: 'failed', is_error: true }
    },
  }),
  returning(BROKEN_TOOL, { output_text: 'is never reached' }),
  asking('confirm_delete'),
  asking(PARALLEL_TOOL),
]
