/** The tools that the conformance suite calls by name and that a session can run: real calls of the product. */
import type { Tool, ToolOutcome } from '@toolwire/core'
import { defineTool } from '@toolwire/tools'
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
