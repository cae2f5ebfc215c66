/**
 * Sampling: a server asks a model to write for it. The user is asked first; an agent without tools writes in the
 * session's own log, so it is part of the run's budget and visible.
 */
import type { CreateMessageRequest, CreateMessageResult } from '@modelcontextprotocol/client'
import type { ToolContext } from '@toolwire/core'
import { parseSafely } from '@toolwire/tools/internal'
import { z } from 'zod'

const MAX_PROMPT = 64 * 1024
const MAX_TOKENS = 16_384

const Text = z.object({ type: z.literal('text'), text: z.string() })
const Request = z.object({
  messages: z
    .array(z.object({ role: z.enum(['user', 'assistant']), content: z.union([Text, z.array(Text)]) }))
    .min(1),
  systemPrompt: z.string().max(MAX_PROMPT).optional(),
  maxTokens: z.number().int().positive(),
  // Calls of the server's own tools would have to go back and forth; that is not offered.
  tools: z.undefined().optional(),
})

/** The sampling request, as the log keeps it beside the questions of servers. */
export interface SamplingRequest {
  readonly mode: 'model'
  readonly message: string
  readonly prompt: string
  readonly system?: string
  readonly max_tokens: number
}

/** Undefined for a wish that cannot be met: anything but text, too much of it, or with tools. */
export function parseSampling(params: CreateMessageRequest['params'] | unknown): SamplingRequest | undefined {
  const parsed = parseSafely(Request, params)
  if (!parsed.success) return undefined
  const { messages, systemPrompt, maxTokens } = parsed.data
  const texts = messages.map(({ role, content }) => ({
    role,
    text: [content]
      .flat()
      .map(part => part.text)
      .join('\n'),
  }))
  const [only, ...more] = texts
  const prompt =
    only?.role === 'user' && more.length === 0
      ? only.text
      : texts.map(({ role, text }) => `${role}: ${text}`).join('\n\n')
  if (prompt.length > MAX_PROMPT) return undefined
  return {
    mode: 'model',
    message: `It wants a model to write an answer to this:\n${prompt}`,
    prompt,
    ...(systemPrompt === undefined ? {} : { system: systemPrompt }),
    max_tokens: Math.min(maxTokens, MAX_TOKENS),
  }
}

type SamplingResult =
  | { readonly ok: true; readonly result: CreateMessageResult }
  | { readonly ok: false; readonly message: string }

/** `part` identifies one of several messages for a call. Throws only if the log cannot be written. */
export async function writeFor(
  writing: SamplingRequest,
  context: ToolContext,
  part: string,
): Promise<SamplingResult> {
  const { runAgent } = context
  if (!runAgent) return { ok: false, message: 'No model can be asked here.' }
  const { prompt, system, max_tokens } = writing
  const end = await runAgent({
    name: 'model',
    prompt,
    ...(system === undefined ? {} : { system }),
    tools: [],
    client_tools: false,
    max_turns: 1,
    max_tokens,
    part,
  })
  if (end.type === 'refused') return { ok: false, message: end.message }
  if (end.type !== 'finished') return { ok: false, message: 'The model was stopped.' }
  if (end.error) return { ok: false, message: end.error.message }
  const stopReason = end.stop_reason === 'length' ? 'maxTokens' : 'endTurn'
  const content = { type: 'text' as const, text: end.text }
  return { ok: true, result: { role: 'assistant', model: 'toolwire', content, stopReason } }
}
