/** Converts a server's elicitation to a question of ours, and the answer to the server's format. */
import { createHash } from 'node:crypto'
import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client'
import type { CallQuestion } from '@toolwire/core'
import { safeHead } from '@toolwire/core'
import { type FormAnswer, parseSafely } from '@toolwire/tools/internal'
import { z } from 'zod'
import type { SamplingRequest } from './sampling.ts'

const MAX_MESSAGE = 4_000
const MAX_SCHEMA_CHARS = 64 * 1024
const MAX_URL = 4_096

const Form = z.object({
  mode: z.literal('form').default('form'),
  message: z.string(),
  requestedSchema: z
    .record(z.string(), z.unknown())
    .refine(schema => JSON.stringify(schema).length <= MAX_SCHEMA_CHARS, 'is too large'),
})
const Page = z.object({
  mode: z.literal('url'),
  message: z.string(),
  url: z.url({ protocol: /^https?$/ }).max(MAX_URL),
})
const Elicitation = z.union([Page, Form])

/** A question as a server asked it, and as the log keeps it; or the wish that a model writes something, which is asked about too. */
export type Elicitation = Readonly<z.output<typeof Elicitation>> | SamplingRequest

/** Undefined for what is no question, or one that cannot be shown: a page that is not of the web, a giant form. */
export function parseElicitation(params: ElicitRequestParams | unknown): Elicitation | undefined {
  const parsed = parseSafely(Elicitation, params)
  return parsed.success ? parsed.data : undefined
}

export interface AskedBy {
  readonly server: string
  readonly tool: string
  readonly source: string
}

/** `problems` are the errors of the previous answer. */
export function toQuestion(
  asked: Elicitation,
  by: AskedBy,
  problems: readonly string[] = [],
): CallQuestion & { readonly details: unknown } {
  const message = [safeHead(asked.message, MAX_MESSAGE), ...problems].join('\n')
  if (asked.mode === 'model')
    return { message: `${by.server}: ${message}`, details: { type: 'sampling', ...by } }
  const details = { type: 'elicitation', mode: asked.mode, ...by }
  return asked.mode === 'url'
    ? { message, url: asked.url, details }
    : { message, schema: asked.requestedSchema, details }
}

/** The schema that an answer must fit; undefined where there is nothing to fill in. */
export const schemaOf = (asked: Elicitation): Readonly<Record<string, unknown>> | undefined =>
  asked.mode === 'form' ? asked.requestedSchema : undefined

export function toElicitResult(answer: FormAnswer): ElicitResult {
  return answer.action === 'accept' && answer.content
    ? { action: 'accept', content: { ...answer.content } as NonNullable<ElicitResult['content']> }
    : { action: answer.action }
}

/** The same for questions that are the same, so that an answer given once can be given again. */
export function printOf(asked: Elicitation): string {
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64url').slice(0, 22)
}
