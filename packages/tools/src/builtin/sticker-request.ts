/**
 * StickerRequest: a form that the user fills in at the client. The call pauses the run, the client shows the form,
 * and only the fact that it was sent comes back. A client brings the definition with its request, or a setting
 * makes the server offer it to clients of its own wires.
 */
import type { Tool, ToolSpec } from '@toolwire/core'
import { defineRawTool } from '../define-tool.ts'

/** The definition for clients with forms. */
export const stickerRequest: ToolSpec = {
  name: 'StickerRequest',
  description:
    'Shows the person a form to have stickers sent to them by post. Use it only when they ask for stickers, and never ask for their address in the conversation.',
  input_schema: {
    type: 'object',
    properties: { trigger: { type: 'string', description: 'What the person said that calls for stickers' } },
    required: ['trigger'],
    additionalProperties: false,
  },
}

export interface FormField {
  readonly name: string
  readonly label: string
  readonly required: boolean
  /** Never leaves the client: not for the log, not for the model. */
  readonly private: true
}

const field = (name: string, label: string, required = true): FormField => ({
  name,
  label,
  required,
  private: true,
})

/** The form itself, for clients to draw. */
export const stickerForm: readonly FormField[] = [
  field('name', 'Name'),
  field('email', 'Email'),
  field('address_1', 'Address'),
  field('address_2', 'Address, second line', false),
  field('city', 'City'),
  field('state', 'State or province', false),
  field('zip', 'Postal code'),
  field('country', 'Country'),
]

/** Offered by the server, for clients that can draw the form of its view. */
export const createStickerRequestTool = (): Tool =>
  defineRawTool({
    ...stickerRequest,
    description: stickerRequest.description ?? '',
    type: 'builtin',
    title: 'Stickers',
    client: true,
    isEnabled: ({ depth = 0 }) => depth === 0,
    isReadOnly: () => true,
    access: async () => [],
    async *call() {
      yield { type: 'failure', message: 'Only a client can show the form.' }
    },
    view: () => ({ title: 'Stickers', kind: 'form', body: { fields: stickerForm } }),
  }) as Tool

export interface StickerAnswer {
  readonly output_text: string
  readonly is_error: boolean
}

const SENT =
  'The sticker form was sent. Tell the person that stickers come by post to the address they gave there.'
const CANCELLED = 'Sticker request cancelled'

/**
 * The answer as it may be kept: one of two sentences, whatever the client sent along. An answer
 * counts as sent only when it says so (`submitted`, or an object with `"status": "submitted"`).
 * Pure and idempotent.
 */
export function toStickerAnswer(answer: StickerAnswer): StickerAnswer {
  const sent =
    !answer.is_error && (answer.output_text === SENT || statusOf(answer.output_text) === 'submitted')
  return sent ? { output_text: SENT, is_error: false } : { output_text: CANCELLED, is_error: true }
}

function statusOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as { status?: unknown }).status : value
  } catch {
    return text.trim()
  }
}
