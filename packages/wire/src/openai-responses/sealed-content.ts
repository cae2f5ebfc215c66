/**
 * Content of `encrypted_content`: what a client carries for the server without reading it. Signed thinking with its
 * provider, and summaries of conversations. Pure; the server seals and opens the text.
 */
import type { AssistantPart } from '@toolwire/core'
import { z } from 'zod'

export type Seal = (text: string) => string
/** Undefined for a text that was changed or sealed by another server. */
export type Unseal = (sealed: string) => string | undefined

export type ThinkingPart = Extract<AssistantPart, { readonly type: 'thinking' | 'redacted_thinking' }>

export interface SealedThinking {
  readonly provider: string
  readonly model: string
  readonly part: ThinkingPart
}

export const sealThinking = (seal: Seal, thinking: SealedThinking): string =>
  seal(JSON.stringify({ kind: 'thinking', ...thinking }))

export const sealSummary = (seal: Seal, summary: string): string =>
  seal(JSON.stringify({ kind: 'summary', summary }))

const opaque = z.object({ provider: z.string(), model: z.string().optional(), data: z.unknown() }).optional()
const Content = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('thinking'),
    provider: z.string(),
    model: z.string(),
    part: z.discriminatedUnion('type', [
      z.object({
        type: z.literal('thinking'),
        thinking: z.string(),
        signature: z.string().optional(),
        opaque,
      }),
      z.object({ type: z.literal('redacted_thinking'), data: z.unknown(), opaque }),
    ]),
  }),
  z.object({ kind: z.literal('summary'), summary: z.string() }),
])
type Content = z.output<typeof Content>

/** Undefined for content that this server did not seal. */
function openContent(unseal: Unseal | undefined, sealed: unknown): Content | undefined {
  const text = typeof sealed === 'string' ? unseal?.(sealed) : undefined
  if (text === undefined) return undefined
  try {
    const found = Content.safeParse(JSON.parse(text))
    return found.success ? found.data : undefined
  } catch {
    return undefined
  }
}

export function openThinking(unseal: Unseal | undefined, sealed: unknown): SealedThinking | undefined {
  const found = openContent(unseal, sealed)
  return found?.kind === 'thinking' ? (found as SealedThinking) : undefined
}

export function openSummary(unseal: Unseal | undefined, sealed: unknown): string | undefined {
  const found = openContent(unseal, sealed)
  return found?.kind === 'summary' ? found.summary : undefined
}
